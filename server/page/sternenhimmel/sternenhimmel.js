// The table of Sternenhimmel. A move is two taps, a star and a space in either order; one looks at it, and confirms it.
import { html, useEffect, useRef, useState } from "../ui/html.js";
import { isIn } from "../ui/focus.js";
import { t } from "../ui/words.js";
import { isStale } from "../table/game.js";
import { sentence, sinceOwnTurn, tellToo } from "../table/story.js";
import { seatName } from "../ui/game-card.js";
import { Sorry } from "../ui/parts.js";
import { Board } from "./board.js";
import { Hand } from "./hand.js";
import { Offer, Theatre, Watch } from "./offer.js";
import { boardName, boardOf, SENTENCES, starName } from "./story.js";
/** @import { Board as Constellation, Lying, Move, Rules, Space, Star, Table, View } from "./types" */
/** @import { ForesightOf } from "../ui/types" */
/**
 * The star is chosen by its place in hand.
 * @typedef {{turn: number | null, star: number | null, space: {board: string, space: string} | null}} Chosen
 */
/** @typedef {ForesightOf<"sternenhimmel">} Foresight */

/** @type {Chosen} */
const NOTHING = { turn: null, star: null, space: null };

/** @param {{table: Table, rules: Rules, view: View, at: number | null}} props */
export function Sternenhimmel({ table, rules, view, at }) {
  const { game, legal, story } = table;
  const seat = game.you?.seat;
  const names = game.seats.map(seatName);
  const turn = at === null && legal ? legal.turn : null;
  const moves = turn === null ? [] : (legal?.moves ?? []);
  const [kept, keep] = useState(NOTHING);
  const chosen = kept.turn === turn ? kept : NOTHING; // what was chosen for another turn is gone
  const choose = (/** @type {Omit<Chosen, "turn">} */ it) => keep({ ...it, turn });
  const [foresight, setForesight] = useState(/** @type {Foresight | null} */ (null));
  const [error, setError] = useState(/** @type {unknown} */ (null));
  const [sending, setSending] = useState(/** @type {"sent" | "unanswered" | null} */ (null));
  const place = useRef();
  const confirm = useRef();
  const tray = useRef();
  useEffect(() => tellToo(SENTENCES, { "board-scored": Watch }), []);

  const hand = view.hand ?? [];
  const star = chosen.star === null ? null : hand[chosen.star];
  const move = star && chosen.space ? { star, ...chosen.space } : null;
  const preview = move && foresight;
  const fits = (/** @type {Move} */ it) => (!star || it.star === star);
  const isOpen = (/** @type {string} */ board, /** @type {string} */ space) =>
    moves.some((it) => fits(it) && it.board === board && it.space === space);
  const isThere = (/** @type {Move} */ it) =>
    !chosen.space || (it.board === chosen.space.board && it.space === chosen.space.space);
  const isStarOpen = (/** @type {Star} */ kind) => moves.some((it) => it.star === kind && isThere(it));

  useEffect(() => {
    setForesight(null);
    if (!move || turn === null) return;
    let isWanted = true;
    setError(null);
    table.preview(turn, move).then(
      (it) => isWanted && setForesight(it),
      (wrong) => {
        if (!isWanted) return;
        setError(wrong);
        choose(NOTHING);
        if (isStale(wrong)) table.look();
      },
    );
    return () => (isWanted = false);
  }, [turn, chosen.star, chosen.space?.board, chosen.space?.space]);
  useEffect(() => {
    if (preview && isIn(place.current)) confirm.current?.focus({ preventScroll: true });
  }, [foresight]);

  const giveUp = () => {
    choose(NOTHING);
    tray.current?.focus({ preventScroll: true }); // the button that had the focus is gone
  };
  async function send() {
    setSending("sent");
    setError(null);
    try {
      if (turn !== null && move) await table.play(turn, move, () => setSending("unanswered"));
      giveUp();
    } catch (wrong) {
      setError(wrong);
      if (isStale(wrong)) giveUp();
    }
    setSending(null);
  }

  const shown = preview?.view.boards.length ? preview.view : view; // the last move of a game leaves no board to look at
  const fresh = new Set((at === null ? sinceOwnTurn(story, seat) : story.filter((it) => it.version === at))
    .filter((it) => it.type === "star-placed").map((it) => `${it.board} ${it.space}`));
  const isBegun = (star || chosen.space) && !sending;
  const escape = (/** @type {KeyboardEvent} */ event) => event.key === "Escape" && isBegun && giveUp();
  return html`<${Theatre} names=${names} rules=${rules} />
  <div class="sky" ref=${place} onKeyDown=${escape}>
    <${Offer} table=${table} rules=${rules} at=${at} />
    ${shown.boards.length === 0 && html`<p class="card">${t("sky.empty")}</p>`}
    <div class="boards">
      ${shown.boards.map(({ board: id, spaces }) => {
        const board = boardOf(id, rules);
        const title = boardName(id, rules);
        return html`<${Board} key=${id} board=${board} title=${title} lying=${lyingOn(board, spaces)}
          name=${(/** @type {Space} */ space) => spaceName(title, space, spaces[space.id], names)}
          marks=${(/** @type {string} */ space) => [
            isOpen(id, space) && "open",
            isOpen(id, space) && star && !chosen.space && "lit",
            chosen.space?.board === id && chosen.space.space === space && "chosen",
            fresh.has(`${id} ${space}`) && "fresh",
          ].filter(Boolean).join(" ")}
          act=${(/** @type {string} */ space) =>
            !sending && isOpen(id, space) && choose({ ...chosen, space: { board: id, space } })} />`;
      })}
    </div>
    ${seat !== undefined && shown.boards.length > 0 && html`<div class="tray" tabindex="-1" ref=${tray}>
      <p class="ask" role="status">
        ${at !== null ? t("ask.past") : asking(turn, star, chosen.space, preview, sending)}
      </p>
      ${error && html`<${Sorry} error=${error} />`}
      ${preview && html`<div class="row confirm">
        <span>${foreseen(preview, names, rules)}</span>
        <button ref=${confirm} disabled=${!!sending} onClick=${send}>${t("confirm")}</button>
        <button class="plain" disabled=${!!sending} onClick=${giveUp}>${t("choose-again")}</button>
      </div>`}
      <${Hand} hand=${hand} seat=${seat} chosen=${chosen.star} isOpen=${isStarOpen}
        choose=${(/** @type {number} */ i) =>
          !sending && isStarOpen(hand[i]) && choose({ ...chosen, star: chosen.star === i ? null : i })} />
    </div>`}
  </div>`;
}

/**
 * A large space holds its star face down; its owner knows it all the same.
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
 */
const spaceName = (title, space, lying, names) =>
  t(lying ? "space.taken" : "space.empty", {
    board: title,
    space: space.id,
    size: t(`space.${space.size}`),
    name: lying && names[lying.seat],
    star: lying && starName(lying.star),
  });

/**
 * @param {number | null} turn
 * @param {Star | null} star
 * @param {Chosen["space"]} space
 * @param {Foresight | null} preview
 * @param {string | null} sending
 */
function asking(turn, star, space, preview, sending) {
  if (sending) return t(`sending.${sending}`);
  if (turn === null) return t("ask.wait");
  if (preview) return t("ask.confirm");
  if (star) return t("ask.space", { star: starName(star) });
  if (space) return t("ask.star");
  return t("ask.both");
}

/**
 * @param {Foresight} preview
 * @param {string[]} names
 * @param {Rules} rules
 */
function foreseen(preview, names, rules) {
  const told = preview.would.map((it) => sentence(it, names, rules)).filter(Boolean);
  return [...told, preview.would_reveal ? t("would-reveal") : ""].join(" ");
}
