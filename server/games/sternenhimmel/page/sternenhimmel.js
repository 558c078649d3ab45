// The table of Sternenhimmel. A move takes two taps, on a star and a space in any order, then a confirmation.
import { html, useEffect, useRef, useState } from "../ui/html.js";
import { addressOf } from "../ui/files.js";
import { isIn } from "../ui/focus.js";
import { waitInWords } from "../ui/waiting-for-me.js";
import { knows, listed, t } from "../ui/words.js";
import { isTransient, Problem } from "../ui/api.js";
import { isStale } from "../table/game.js";
import { Guide, input, useGuide } from "../table/guide.js";
import { useBegun, useCompared, useHinted, useInterrupted, usePrepared } from "../table/hinted.js";
import { useNextFocus } from "../table/next-focus.js";
import { usePlanning } from "../table/planning.js";
import { lastMove, sentence, sinceOwnTurn, tellToo } from "../table/story.js";
import { seatName } from "../ui/game-words.js";
import { enter, later, quietly } from "../ui/lazy-loading.js";
import { Sorry } from "../ui/parts.js";
import { leap, leave } from "../ui/roving-tabindex.js";
import { useSize } from "../ui/size.js";
import { useStore } from "../ui/store.js";
import { isTerse } from "../ui/verbosity.js";
import { useZoom } from "../ui/zoom.js";
import { Board } from "./board.js";
import { fit } from "./fit.js";
import { Hand } from "./hand.js";
import { Offer, Theatre, Watch } from "./offer.js";
import { Piece } from "./pieces.js";
import { boardName, boardOf, scored, SENTENCES, starName } from "./story.js";
/** @import { Board as Constellation, Lying, Move, Rules, Space, Star, Table, View } from "./types" */
/** @import { ForesightOf } from "../ui/types" */
/**
 * The player's choice. `star` is an index into the hand.
 * @typedef {{turn: number | null, star: number | null, space: {board: string, space: string} | null}} Chosen
 */
/** @typedef {ForesightOf<"sternenhimmel">} Foresight */

const Tooltips = quietly(() => enter("tooltips"), "Tooltips");
const Arrivals = quietly(() => import(addressOf("sternenhimmel/arrivals.js")), "Arrivals");
const Planner = quietly(() => enter("details"), "Planner");
const Gallery = later("sternenhimmel/gallery", "Gallery");

/** @type {Chosen} */
const NOTHING = { turn: null, star: null, space: null };

/** @param {{table: Table, rules: Rules, view: View, at: number | null}} props */
export function Room({ table, rules, view, at }) {
  const { game, legal, story } = table;
  const seat = game.you?.seat;
  const names = game.seats.map(seatName);
  const planning = usePlanning(table, at);
  const turn = planning ? planning.turn : at === null && legal ? legal.turn : null;
  /** @type {Move[]} */
  const moves = planning?.next.moves ?? (turn === null ? [] : (legal?.moves ?? []));
  /** @type {Move | null} */
  const hint = useHinted(table.base, turn)[0] ?? null;
  const { played, better } = useCompared(table.base, at);
  const [kept, keep] = useState(NOTHING);
  const chosen = kept.turn === turn ? kept : NOTHING; // discard another turn's choice
  const [isTaken, setTaken] = useState(false); // the last space pressed
  const choose = (/** @type {Omit<Chosen, "turn">} */ it) => {
    setTaken(false);
    keep({ ...it, turn });
  };
  const [foresight, setForesight] = useState(/** @type {Foresight | null} */ (null));
  const [isKept, setKept] = useState(false); // offline: there is no preview, but the move can be sent later
  const [error, setError] = useState(/** @type {unknown} */ (null));
  const [sending, setSending] = useState(/** @type {"sent" | "unanswered" | null} */ (null));
  const place = useRef();
  const confirm = useRef();
  const tray = useRef();
  const [boards, size] = useSize();
  const terse = useStore(isTerse);
  const [isGuided, learned, hide] = useGuide(game.rules);
  const by = useStore(input);
  useEffect(() => tellToo(SENTENCES, { "board-scored": Watch }), []);
  useEffect(() => { // not by scrollIntoView, which may also scroll the page
    const [space, sky] = [".hinted.space", ".boards"].map((it) => place.current.querySelector(it));
    if (space) sky.scrollTop += Math.max(0, space.getBoundingClientRect().bottom - sky.getBoundingClientRect().bottom);
  }, [hint]);

  const hand = view.hand ?? [];
  const star = chosen.star === null ? null : hand[chosen.star];
  const move = star && chosen.space ? { star, ...chosen.space } : null;
  const preview = move && foresight;
  const isReady = move && !planning && (preview || isKept);
  const fits = (/** @type {Move} */ it) => (!star || it.star === star);
  const open = new Set(moves.filter(fits).map((it) => `${it.board} ${it.space}`));
  const isOpen = (/** @type {string} */ board, /** @type {string} */ space) => open.has(`${board} ${space}`);
  const isThere = (/** @type {Move} */ it) =>
    !chosen.space || (it.board === chosen.space.board && it.space === chosen.space.space);
  const isStarOpen = (/** @type {Star} */ kind) => moves.some((it) => it.star === kind && isThere(it));

  useEffect(() => {
    setForesight(null);
    setKept(false);
    if (!move || turn === null || planning) return;
    let isWanted = true;
    setError(null);
    table.preview(turn, move).then(
      (it) => isWanted && setForesight(it),
      (wrong) => {
        if (!isWanted) return;
        setError(wrong instanceof Problem ? wrong : null); // the page shows that we are offline
        if (isTransient(wrong)) return setKept(true);
        choose(NOTHING);
        if (isStale(wrong)) table.look();
      },
    );
    return () => (isWanted = false);
  }, [turn, chosen.star, chosen.space?.board, chosen.space?.space]);
  useEffect(() => {
    if (isReady && isIn(place.current)) confirm.current?.focus({ preventScroll: true });
  }, [foresight, isKept]);

  const keys = useNextFocus(place, JSON.stringify([chosen.star, chosen.space]),
    [star && chosen.space ? ".confirm button" : star ? ".space.lit" : ".hand .star.open"], !!sending);
  const goBack = () => {
    const [last, rest] = chosen.space && star ? [chosen.space, { ...chosen, space: null }] : [chosen.star, NOTHING];
    const at = typeof last === "number" ? `.hand [data-at="${last}"]` : last && `[data-board="${last.board}"] [data-at="${last.space}"]`;
    choose(rest);
    (at ? place.current.querySelector(at) : tray.current)?.focus({ preventScroll: true });
  };
  const giveUp = () => {
    choose(NOTHING);
    tray.current?.focus({ preventScroll: true }); // the focused button was removed
  };
  useInterrupted(table, kept.turn, turn, () => {
    const isFree = moves.some((it) => it.board === kept.space?.board && it.space === kept.space.space);
    choose({ star: kept.star, space: isFree ? kept.space : null });
    setTaken(!!kept.space && !isFree);
  });
  useBegun([], { partial: !!star || !!chosen.space, whole: false });
  usePrepared(table.base, turn, ([{ star, ...space }]) => {
    choose({ star: hand.indexOf(star), space });
    tray.current?.focus({ preventScroll: true }); // from the closed hint; the confirm button follows
  });
  async function send() {
    setSending("sent");
    setError(null);
    try {
      if (turn !== null && move) await table.play(turn, move, () => setSending("unanswered"));
      giveUp();
      learned();
    } catch (wrong) {
      setError(wrong);
      if (isStale(wrong)) giveUp();
    }
    setSending(null);
  }

  // The last move of a game leaves no boards in the preview.
  const shown = preview?.view.boards.length ? preview.view : move && seat !== undefined ? placed(view, seat, move) : view;
  const fresh = new Set((at === null ? sinceOwnTurn(story, seat) : story.filter((it) => it.version === at))
    .filter((it) => it.type === "star-placed").map((it) => `${it.board} ${it.space}`));
  const [scale] = useZoom(boards);
  const found = size && shown.boards.length > 0
    ? fit(shown.boards.length, { width: size.width * scale, height: size.height * scale }) : null;

  /**
   * Explain an element of the table, and why it can't be used now.
   * @param {HTMLElement} it
   */
  function explain(it) {
    const { star: kind, at: id, tip: about } = it.dataset;
    if (kind) return starTip(/** @type {Star} */ (kind));
    const on = /** @type {HTMLElement | null} */ (it.closest("[data-board]"))?.dataset.board;
    if (!on) return null;
    const board = boardOf(on, rules);
    const winnerPays = game.options.compensation_payer === "first";
    if (about === "prizes") return [t("tip.prizes", board.prizes), winnerPays && t("tip.winner-pays")].filter(Boolean).join(" ");
    const lying = shown.boards.find((one) => one.board === on)?.spaces[id ?? ""];
    const space = board.spaces.find((one) => one.id === id);
    if (!space) return null;
    if (move && move.board === on && move.space === id) return t("would.star-placed", { star: starName(move.star),
      board: boardName(on, rules), space: id });
    if (lying) return t("tip.taken", { name: names[lying.seat], star: starName(lying.star) });
    const isClosed = at === null && turn === null && seat !== undefined && game.status === "running";
    return [t(`tip.${space.size}`), isClosed && t("ask.wait")].filter(Boolean).join(" ");
  }
  /** @type {(moves: Move[], board: string, space: string) => boolean} */
  const isOn = (moves, board, space) => moves.some((it) => it.board === board && it.space === space);
  const isBegun = (star || chosen.space) && !sending;
  const isOver = game.outcome && at === null;
  const isFirst = !lastMove(story, seat);
  const moved = at === null && !isBegun && !sending && seat !== undefined && sinceOwnTurn(story, seat)
    .filter((it) => it.type === "star-placed" && it.seat !== seat).map((it) => sentence(it, names, rules, seat)).join(" ");
  const offer = html`<${Offer} table=${table} rules=${rules} at=${at} />`;
  const planner = at === null && html`<${Planner} table=${table} rules=${rules} draft=${planning && move ? [move] : []} />`;
  const hasTray = seat !== undefined && game.status !== "abandoned" && shown.boards.length > 0;
  const press = (/** @type {KeyboardEvent} */ event) => {
    keys.onKeyDown();
    if (event.key === "Escape" && isBegun) goBack();
    /** @type {any} */
    const board = leap(event, [...place.current.querySelectorAll(".board")]);
    (board?.querySelector(".space.open") ?? board?.querySelector(".space"))?.focus();
    const isAside = event.key === "ArrowLeft" || event.key === "ArrowRight"; // the hand is below the boards
    if (!isAside || !isIn(tray.current)) leave(event, place.current.querySelectorAll(isAside ? ".space" : ".space, .star"));
  };
  return html`<${Theatre} names=${names} rules=${rules} />
  <div class="sky" ref=${place} onPointerDown=${keys.onPointerDown} onKeyDown=${press}>
    ${hasTray && html`<div class="tray" tabindex="-1" ref=${tray}>
      <div class="say"><div data-said>
        ${!isBegun && !sending && offer}
        ${error && html`<${Sorry} error=${error} />`}
        ${moved && html`<p class="moved" tabindex="-1">${moved}</p>`}
        <p class="ask" role="status">${isTaken && turn !== null && html`<strong>${t("ask.taken")}</strong> `}
          ${at !== null ? t("ask.past") : game.status === "paused" ? t("ask.paused") : isGuided && turn !== null && !planning && !isBegun && !sending ? isFirst && t("goal.coins")
            : isKept && !sending ? t("sending.kept", { button: t("confirm") })
            : preview && move && !sending ? html`<span class="told">${foreseen(preview, move, names, rules, isGuided)}</span>`
            : planning && move ? html`<span class="told">${t("would.star-placed", { star: starName(move.star),
              board: boardName(move.board, rules), space: move.space })}</span>`
            : [isFirst && !isBegun && !sending && t("goal.coins"), turn === null && !sending ? waitInWords(game) : asking(star, chosen.space, sending)].filter(Boolean).join(" ")} ${turn === null && planner}</p>
        ${turn !== null && !planning && isGuided && !sending && html`<${Guide} key=${`${isBegun} ${isReady}`} hide=${!isBegun && hide} isNew=${isFirst && !isBegun}
          step=${isReady ? 3 : isBegun ? 2 : 1} words=${t(isReady ? "guide.play" : star ? "guide.space"
            : chosen.space ? "guide.star.then" : `guide.star${by}`)} />`}</div>
      ${planning && html`<div class="row confirm">${planner}</div>`}
      ${isReady && html`<div class="row confirm">
        <button ref=${confirm} disabled=${!!sending} onClick=${send}>${t("confirm")}</button>
        <button class="plain" disabled=${!!sending} onClick=${giveUp}>${t("choose-again")}</button>
      </div>`}</div>
      <${Hand} hand=${hand} seat=${seat} chosen=${chosen.star} hinted=${hint ? hand.indexOf(hint.star) : -1} isOpen=${isStarOpen}
        choose=${(/** @type {number} */ i) =>
          !sending && isStarOpen(hand[i]) && choose({ ...chosen, star: chosen.star === i ? null : i })} />
    </div>`}
    ${isOver && offer}
    ${isOver ? html`<${Gallery} names=${names} rules=${rules} seats=${game.seats} seat=${game.you?.seat}
      scored=${story.filter((it) => it.type === "board-scored")} />`
      : shown.boards.length === 0 && html`<p class="card">${t("sky.empty")}</p>`}
    <div class="boards" hidden=${shown.boards.length === 0} ref=${boards}
      tabindex=${turn === null && size && found && found.height > size.height + 1 ? 0 : null}><div class="all" style=${{
      "--columns": found?.columns, "--rows": found?.rows, "--scale": scale,
      height: found && `${found.height}px` }}>
      ${found && shown.boards.map(({ board: id, spaces }) => {
        const board = boardOf(id, rules);
        const title = boardName(id, rules);
        return html`<${Board} key=${id} board=${board} title=${title} fit=${found}
          lying=${lyingOn(board, hint?.board === id && !move && seat !== undefined ? { ...spaces, [hint.space]: { seat, star: hint.star } } : spaces)}
          name=${(/** @type {Space} */ space) => [spaceName(title, space, spaces[space.id], names, terse ? [] : board.lines),
            isOn(played, id, space.id) && t("compared.played"), isOn(better, id, space.id) && t("compared.better"),
          ].filter(Boolean).join(", ")}
          marks=${(/** @type {string} */ space) => [
            isOpen(id, space) && "open",
            isOpen(id, space) && star && !chosen.space && "lit",
            chosen.space?.board === id && chosen.space.space === space && "chosen",
            fresh.has(`${id} ${space}`) && "fresh",
            hint?.board === id && hint.space === space && "hinted",
            isOn(played, id, space) && "played",
            isOn(better, id, space) && "better",
          ].filter(Boolean).join(" ")}
          act=${(/** @type {string} */ space) => {
            if (sending || turn === null) return;
            if (isOpen(id, space)) choose({ ...chosen, space: { board: id, space } });
            else setTaken(!!view.boards.find((it) => it.board === id)?.spaces[space]);
          }} />`;
      })}
    </div></div>
    ${!hasTray && !isOver && offer}
    <${Tooltips} place=${place} explain=${explain} />
    <${Arrivals} place=${place} table=${table} at=${at} chosen=${chosen} />
  </div>`;
}

/**
 * Return the view with the move's star on its space, to draw until the preview arrives.
 * @param {View} view
 * @param {number} seat
 * @param {Move} move
 * @returns {View}
 */
const placed = (view, seat, { star, board, space }) => ({ ...view, boards: view.boards.map((it) =>
  (it.board === board ? { ...it, spaces: { ...it.spaces, [space]: { seat, star } } } : it)) });

/**
 * Mark stars on large spaces as face down. Their owner still sees them.
 * @param {Constellation} board
 * @param {Record<string, Lying | null>} spaces
 */
const lyingOn = (board, spaces) =>
  Object.fromEntries(
    board.spaces.map(({ id, size }) => [id, spaces[id] && { ...spaces[id], isDown: size === "large" }]),
  );

/**
 * @param {string} title
 * @param {Space} space
 * @param {Lying | null | undefined} lying
 * @param {string[]} names
 * @param {[one: string, other: string][]} lines lines to mention
 */
const spaceName = (title, space, lying, names, lines) => {
  const joined = lines.filter((it) => it.includes(space.id)).flat().filter((it) => it !== space.id);
  return [t(lying ? "space.taken" : "space.empty", {
    board: title,
    space: space.id,
    size: t(`space.${space.size}`),
    name: lying && names[lying.seat],
    star: lying && starName(lying.star),
  }), joined.length > 0 && t("space.joined", { spaces: listed(joined) })].filter(Boolean).join(", ");
};

/** @param {Star} star */
const starTip = (star) => t(knows(`tip.star.${star}`) ? `tip.star.${star}` : "tip.star.number", { value: star });

/**
 * Return whether the star of this move will lie face down.
 * @param {Move} move
 * @param {Rules} rules
 */
const isDown = ({ board, space }, rules) =>
  boardOf(board, rules).spaces.find((it) => it.id === space)?.size === "large";

/**
 * @param {Star | null} star
 * @param {Chosen["space"]} space
 * @param {string | null} sending
 */
function asking(star, space, sending) {
  if (sending) return t(`sending.${sending}`);
  if (star) return t("ask.space", { star: starName(star) });
  if (space) return t("ask.star");
  return t("ask.both");
}

/**
 * Describe the effect of this move.
 * @param {Foresight} preview
 * @param {Move} move
 * @param {string[]} names
 * @param {Rules} rules
 * @param {boolean} isGuided whether the guide has just explained which stars are hidden
 */
function foreseen({ would, would_reveal: reveals }, move, names, rules, isGuided) {
  const { star, board, space } = move;
  return [
    t("would.star-placed", { star: starName(star), board: boardName(board, rules), space }),
    isDown(move, rules) && !isGuided && t("would-hide"),
    ...would.map((it) => it.type === "board-scored" && scored(it, names, rules, "would")),
    reveals && t("would-reveal"),
  ].filter(Boolean).join(" ");
}

const NARROW = 360; // pixels

/** @param {View["boards"][number]} board */
const filled = ({ spaces }) => Object.values(spaces).filter(Boolean).length;

/**
 * Show the sky without controls. A narrow window shows only the constellation with most stars, so that they are legible.
 * @param {{rules: Rules, view: View}} props
 */
export function Sky({ rules, view }) {
  const [around, size] = useSize();
  const isNarrow = size && size.width < NARROW;
  const boards = isNarrow ? view.boards.toSorted((a, b) => filled(b) - filled(a)).slice(0, 1) : view.boards;
  const found = size && boards.length > 0 ? fit(boards.length, size) : null;
  return html`<div class="boards" ref=${around}><div class="all" style=${{
    "--columns": found?.columns, "--rows": found?.rows }}>
    ${found && boards.map(({ board: id, spaces }) => html`<${Board} key=${id} board=${boardOf(id, rules)}
      title=${boardName(id, rules)} lying=${lyingOn(boardOf(id, rules), spaces)} fit=${found} name=${() => ""} />`)}
  </div></div>`;
}

/**
 * Show what a seat has: its coins, and its stars in hand and on the constellations.
 * @param {{table: Table, rules: Rules, view: View, seat: number}} props
 */
export function Belongings({ table, rules, view, seat }) {
  const lying = view.boards.map((it) => ({ ...it, own: Object.values(it.spaces).flatMap((one) => (one?.seat === seat ? [one] : [])) }))
    .filter((it) => it.own.length);
  return html`<div class="belongings">
    <p><strong>${seatName(table.game.seats[seat])}</strong> ${t("coins", { count: view.coins[seat] })} · ${
      t("in-hand", { count: view.hand_sizes[seat] })}</p>
    ${lying.length === 0 && html`<p class="faint">${t("belongings.none")}</p>`}
    <ul>${lying.map(({ board, own }) => html`<li key=${board}><span>${boardName(board, rules)}</span> ${
      own.map((it, i) => html`<svg key=${i} viewBox="-10 -10 20 20" width="28" height="28" role="img"
        aria-label=${starName(it.star)}><${Piece} seat=${seat} star=${it.star} isDown=${it.star === null} r=${8.4} /></svg>`)}</li>`)}</ul>
  </div>`;
}
