// Advice from a search bot: hints on the player's turn, and a review of a finished game.
import { html, useEffect, useLayoutEffect, useRef, useState } from "../ui/html.js";
import { call, isTransient, send } from "../ui/api.js";
import { now } from "../ui/connection.js";
import { course } from "../ui/course.js";
import { addressOf } from "../ui/files.js";
import { GAMES, ROOMS } from "../ui/games.js";
import { Sorry, useLoaded } from "../ui/parts.js";
import { brief } from "../ui/times.js";
import { t } from "../ui/words.js";
import { begun, compared, hinted, isPartial, prepared } from "../table/hinted.js";
import { turnAt } from "../table/story.js";
import { useStore } from "../ui/store.js";
/** @import { Game, GameEvent, Hint as Hinted, HintedMove, Move, PlanForm, Review as Reviewed, ReviewedMove, RulesDescription,
 *   SeatedTable } from "../ui/types" */
/** @import { Row } from "../ui/course.js" */

const GAP = 3; // pixels between a panel and what it leaves free
const LOW = 136; // pixels of a panel that has no room for its text
const AGAIN = 2_000; // milliseconds between polls of a review in progress
const FIRST = 5; // moves listed before "show all"
const LEAST = 0.5; // points of a gain or loss that is listed
const NAMED = 1.5; // points behind the best that a hint names even if they may be an error, as on the server
const DOUBT = 1.5; // margins that a gain or loss exceeds if it is listed, as on the server
const MARKED = 4; // gains, and losses, marked on the curve
const NOTABLE = 2; // points of a gain or loss that is marked there
const [WIDE, HIGH] = [320, 120]; // the curve
const [SIDE, LANE] = [18, 28]; // margins of the curve; its marks have a lane above and one below
const APART = 40; // from mark to mark

/**
 * Return a function that describes a move as the game's own module does, or as emails do if the game has none, whether
 * that module has loaded, and the module.
 * @param {Game} game
 * @param {RulesDescription} rules
 * @returns {[written: (it: {move: Move, words: string}) => string, isReady: boolean, form: PlanForm | null]}
 */
function useWritten(game, rules) {
  /** @returns {Promise<PlanForm | null>} */
  const load = async () => (ROOMS.includes(game.rules) ? import(addressOf(`${game.rules}/plan.js`)) : null);
  const [form, error] = useLoaded(load, [game.rules]);
  return [({ move, words }) => form?.written(move, rules) ?? words, form !== null || !!error || !ROOMS.includes(game.rules), form];
}

/**
 * @param {Game} game
 * @param {number} count
 */
const pointsOf = (game, count) => t(GAMES[game.rules]?.score ?? "points", { count });

/**
 * Show the best moves for the player's turn, after the steps that they have prepared.
 * @param {{table: SeatedTable, rules: RulesDescription, close: () => void}} props
 */
export function Hint({ table, rules, close }) {
  const { game, base } = table;
  const steps = useStore(begun);
  const replaces = useStore(isPartial);
  /** @returns {Promise<Hinted & {steps: string, left: Left | null}>} */
  const ask = async () => {
    const answer = await send("POST", `${base}/hint`, { begun: JSON.parse(steps) });
    return { ...await answer.json(), steps, left: leftOf(answer.headers.get("RateLimit")) };
  };
  const [found, error] = useLoaded(ask, [game.you.turn, steps]);
  const hint = found?.steps === steps ? found : null;
  const [written, isReady, form] = useWritten(game, rules);
  const all = isReady && hint ? /** @type {HintedMove[]} */ (hint.moves) : [];
  const moves = all.filter((it, i) => all.findIndex((one) => written(one) === written(it)) === i); // copies of a card
  const isWhole = hint !== null && hint.turn !== null && !hint.moves.length;
  const isEven = moves.length > 1 && !moves.slice(1).some(isBehind);
  const [marked, mark] = useState(0);
  useEffect(() => mark(0), [hint]);
  const place = useRef();
  useEffect(() => place.current.focus({ preventScroll: true }), []);
  useEffect(() => {
    hinted.set(moves[marked] && hint ? { base, turn: hint.turn, moves: stepsOf(moves[marked]) } : null);
    return () => hinted.set(null);
  }, [isReady, hint, marked]);
  const box = useBox(place);
  const isBest = moves.slice(1).every(isBehind);
  const verdict = (/** @type {HintedMove} */ it) => (it.wins || isEven ? "" : it === moves[0] ? t(isBest ? "hint.best" : "hint.among")
    : isBehind(it) ? "" : t("hint.as-good")); // `why` says how much less the others bring
  const told = (/** @type {HintedMove} */ it) => (form?.told
    ? html`<strong>${form.told(stepsOf(it), rules)}</strong>`
    : html`<strong>${[written(it), it.then.length > 0 && t("hint.then", { moves: it.then.map(written).join("; ") })].filter(Boolean).join(", ")}</strong>`);
  const leave = () => {
    place.current.parentElement.querySelector("[data-tool=hint]")?.focus({ preventScroll: true });
    close();
  };
  const choose = (/** @type {Move[]} */ moves) => {
    close(); // before the board takes the focus
    prepared.set({ base, turn: game.you.turn, moves });
  };
  return html`<section class="hint" tabindex="-1" ref=${place} aria-label=${t("hint")} style=${box}
    onKeyDown=${(/** @type {KeyboardEvent} */ event) => event.key === "Escape" && leave()}>
    <div class="about"><p role="status">${isWhole ? t("hint.whole") : moves.length
        ? t(replaces ? "hint.replaces" : isEven ? "hint.even" : "hint.what") : !error && t("hint.thinking")}</p>
      <button class="plain" aria-label=${t("close")} onClick=${leave}>×</button></div>
    ${moves.length > 0 && html`<ol aria-label=${t("hint")}>${moves.map((it, i) => html`<li key=${i} class=${i === marked ? "marked" : ""}
        onPointerEnter=${() => mark(i)} onFocusIn=${() => mark(i)} onClick=${() => mark(i)}>
        <b class="rank" aria-hidden="true" title=${verdict(it)}>${i + 1} <small>${i ? rank(game, it) : it.wins ? t("hint.rank.wins") : isBest && t("hint.rank.best")}</small></b>
        <span tabindex="0">${told(it)} <span class="verdict faint">${verdict(it)}</span> <span class="faint">${
          [!it.wins && it.scores_with_then && t("hint.scores", { points: pointsOf(game, it.scores_with_then) }), it.why].filter(Boolean).join(" ")}</span></span>
        <button class=${i === 0 ? "" : "plain"} onClick=${() => choose(stepsOf(it))}
          aria-label=${`${t("hint.choose")}: ${written(it)}`}>${t("hint.choose")}</button></li>`)}</ol>
      <p class="from faint">${[t("hint.from"), hint?.left && t("hint.left", hint.left)].filter(Boolean).join(" · ")}</p>`}
    ${error && html`<${Sorry} error=${error} />`}
  </section>`;
}

/** @param {HintedMove} it */
const stepsOf = ({ move, then }) => [move, ...then.map((it) => it.move)];

/** @typedef {{count: number, until: string}} Left how many hints are left until a time */

/**
 * Return what a `RateLimit` header says about hints, or null if they are unlimited.
 * @param {string | null} header
 * @returns {Left | null}
 */
function leftOf(header) {
  const [, count, seconds] = header?.match(/"hints";r=(\d+);t=(\d+)/) ?? [];
  return seconds ? { count: Number(count), until: brief(now() + 1000 * (Number(seconds) - 1)) } : null;
}

/**
 * Return how far a move is behind the best, in short.
 * @param {Game} game
 * @param {HintedMove} move
 */
function rank(game, move) {
  if (move.wins) return t("hint.rank.wins");
  const points = `−${pointsOf(game, Math.round(move.behind))}`;
  return isClearlyWorse(move) ? points : isBehind(move) ? t("hint.rank.maybe", { points }) : t("hint.rank.equal");
}

/**
 * Return the position of the panel. It lies over the part of the tray that the game names, or else over the tray. It
 * reaches down to the first part that the game keeps visible, to the next one if it were too low, or else is as large. A
 * longer text scrolls.
 * @param {{current: any}} place
 */
function useBox(place) {
  const [box, set] = useState({});
  useLayoutEffect(() => { // before it is drawn elsewhere
    const around = place.current.parentElement;
    const room = around.querySelector(".drawn .for-hint, .drawn .tray:not(:has(.for-hint))");
    if (!room) return;
    const follow = () => {
      const [outer, { top, left, width, bottom }] = [around, room].map((it) => it.getBoundingClientRect());
      const ends = [...around.querySelectorAll(".drawn .beside-hint")].map((it) => it.getBoundingClientRect().top - GAP);
      const height = (ends.find((it) => it - top >= LOW) ?? ends.at(-1) ?? bottom) - top;
      set({ top: `${top - outer.top}px`, left: `${left - outer.left}px`, width: `${width}px`, height: `${height}px`, "--high": `${height}px` });
    };
    follow();
    const sizes = new ResizeObserver(follow);
    for (const it of [around, room]) sizes.observe(it);
    return () => sizes.disconnect();
  }, []);
  return box;
}

/**
 * Return whether a move is worse than the best by more than the margin of error, if the bot knows it.
 * @param {HintedMove} move
 */
const isClearlyWorse = ({ behind, margin }) => margin !== null && behind > Math.max(LEAST, margin);

/**
 * Return whether a move is behind the best: clearly, or probably by much.
 * @param {HintedMove} move
 */
const isBehind = (move) => isClearlyWorse(move) || move.behind >= NAMED;

/**
 * Show how good the player's moves were. Beside an earlier table, only the curve and the move played there are shown.
 * @param {{table: SeatedTable, rules: RulesDescription, at: number | null, showAt: (version: number) => void,
 *   close: () => void}} props
 */
export function Review({ table, rules, at, showAt, close }) {
  const { game, base } = table;
  const [round, again] = useState(0);
  /** @returns {Promise<Reviewed>} */
  const ask = () => call("GET", `${base}/review`);
  const [review, error] = useLoaded(ask, [round]);
  const place = useRef();
  useEffect(() => place.current.focus(), []);
  const isComing = review && review.result === null;
  useEffect(() => {
    if (!isComing) return;
    const timer = setTimeout(() => again(round + 1), AGAIN);
    return () => clearTimeout(timer);
  }, [review]);
  const isRefused = error && (!review || !isTransient(error));
  return html`<section class=${`card review ${at === null ? "" : "beside-table"}`} tabindex="-1" ref=${place} aria-label=${t("review")}>
    <header><h2>${t("review")}</h2><button class="plain" onClick=${close}>${t("close")}</button></header>
    ${isRefused ? html`<${Sorry} error=${error} />` : !review ? html`<p>${t("loading")}</p>`
      : html`${isComing && at === null && html`<p role="status">${t("review.coming", { percent: Math.floor((100 * review.done) / review.total) })}</p>
          <progress max=${review.total} value=${review.done} aria-label=${t("review")} />`}
        <${Moves} table=${table} rules=${rules} review=${review} at=${at} showAt=${showAt} />`}
  </section>`;
}

/**
 * @param {{table: SeatedTable, rules: RulesDescription, review: Reviewed, at: number | null,
 *   showAt: (version: number) => void}} props
 */
function Moves({ table, rules, review, at, showAt }) {
  const { game, story } = table;
  const isComplete = review.result !== null;
  const [written] = useWritten(game, rules);
  const [all, showAll] = useState(false);
  const [wasComing] = useState(!isComplete);
  /** @type {ReviewedMove[]} */
  const moves = review.moves;
  const clear = moves.filter((it) => it.better).sort((one, other) => gainOf(other) - gainOf(one));
  const gained = moves.filter((it) => standsOut(it.choice, it.margin)).sort((one, other) => other.choice - one.choice);
  const points = (/** @type {number} */ count) => pointsOf(game, Math.max(1, Math.round(count)));
  const lost = (/** @type {ReviewedMove} */ it) => t("review.move", { move: written(it),
    better: written(/** @type {any} */ (it.better)), points: points(gainOf(it)) }) + (it.better?.why ? ` ${it.better.why}` : "");
  const won = (/** @type {ReviewedMove} */ it) => t("review.gained", { move: written(it), points: points(it.choice) });
  const about = (/** @type {ReviewedMove} */ it) => (clear.includes(it) ? lost(it) : gained.includes(it) ? won(it) : "");
  const toldAt = (/** @type {ReviewedMove[]} */ steps) => {
    /** @type {(string | ReviewedMove[])[]} */
    const parts = []; // sentences, and runs of steps without one
    for (const it of steps) {
      const [words, last] = [about(it), parts.at(-1)];
      if (words) parts.push(words);
      else if (Array.isArray(last)) last.push(it);
      else parts.push([it]);
    }
    return parts.map((it, nth) => (Array.isArray(it) ? t(nth ? "review.then-played" : "review.you-played", {
      moves: it.map(written).join(t("semicolon")) }) : it)).join(" ");
  };
  const instead = (/** @type {ReviewedMove} */ it) => (it.better ? `${written(it.better)} (${signed(gainOf(it))})` : "");
  const shown = moves.filter((it) => it.version === at); // a turn of several steps is one version
  const better = shown.filter((it) => clear.includes(it));
  useEffect(() => {
    compared.set({ base: table.base, at, played: shown.map((it) => it.move), better: better.flatMap((it) => (it.better ? [it.better.move] : [])) });
    return () => compared.set({ base: "", at: null, played: [], better: [] });
  }, [at, review]);
  const lows = clear.filter((it) => gainOf(it) >= NOTABLE);
  const highs = gained.filter((it) => it.choice >= NOTABLE);
  const chart = html`<${Curve} rows=${course(story, game.seats)} seat=${review.seat} version=${game.version} at=${at}
    lost=${lows.slice(0, MARKED).map((it) => ({ at: it.version, by: -gainOf(it), words: about(it) }))}
    won=${highs.filter((it) => !clear.includes(it)).slice(0, MARKED).map((it) => ({ at: it.version, by: it.choice, words: won(it) }))}
    showAt=${showAt} />`;
  if (at !== null) return html`${chart}<div><p role="status">${toldAt(shown)}</p>
    ${shown.length > 0 && html`<p class="legend faint"><span class="played">${t("compared.played")}</span>${
      better.length > 0 && html` <span class="better">${t("compared.better")}</span>`}</p>`}</div>`;
  const choices = Math.round(review.choices ?? 0);
  const luck = Math.round(review.result ?? 0) - choices;
  const two = game.seats.length === 2 ? ".two" : "";
  const rows = byTurn(moves, story);
  const isByTurn = rows.some((it) => it.turn !== null);
  const heads = [t(isByTurn ? "review.at.turn" : "review.at"), t("review.played"), t(`review.worth.${GAMES[game.rules]?.score ?? "points"}`), t("review.instead")];
  const margins = rows.map((it) => Math.hypot(...it.steps.map((step) => step.margin)));
  const gains = rows.map((it) => sum(it.steps.map(({ choice }) => choice)));
  const worth = (/** @type {Turn} */ { steps }, /** @type {number} */ nth) => (standsOut(Math.abs(gains[nth]), margins[nth])
    ? signed(gains[nth]) : steps.some((it) => it.better) ? "–" : t("review.as-good"));
  const when = (/** @type {ReviewedMove} */ it) => {
    const turn = turnAt(story, it.version);
    return turn === 0 ? `${t("review.start")}.` : t(turn === null ? "review.of-move" : "review.of-turn", { at: turn ?? it.version });
  };
  /** @type {(of: ReviewedMove[]) => unknown} */
  const list = (of) => html`<ol>${of.slice(0, all ? of.length : FIRST).map((it) => html`<li key=${moves.indexOf(it)}>${when(it)} ${about(it)} <${Look} it=${it}
    words=${written(it)} showAt=${showAt} /></li>`)}</ol>`;
  return html`<div>${isComplete && html`<p>${review.summary.join(" ")}</p><dl class="parts">
      <dt>${t(`review.result${two}`)}</dt><dd>${signed(review.result)}</dd>
      <dt>${t("review.choices")} <small class="faint">${t("review.choices.about")}</small></dt><dd>${t("review.about", { points: signed(choices) })}</dd>
      <dt>${t("review.luck")} <small class="faint">${t("review.luck.about")}</small></dt><dd>${t("review.about", { points: signed(luck) })}</dd>
    </dl>`}
    ${chart}
    <p class="faint">${t(`review.curve${two}`)} ${lows.length + highs.length > 0 && t("review.marked")}</p></div><div>
    ${isComplete && clear.length === 0 && html`<p>${t("review.none")}</p>`}
    ${clear.length > 0 && html`<p>${t("review.better")}</p>${list(clear)}`}
    ${clear.length > FIRST && !all && html`<p><button class="plain" onClick=${() => showAll(true)}>${t("review.all")}</button></p>`}
    ${moves.length > 0 && html`<details open=${wasComing}><summary>${t("review.table")}</summary>
      <div class="scrolls" tabindex="0" role="group" aria-label=${t("review.table")}><table>
        <thead><tr>${heads.map((it) => html`<th scope="col">${it}</th>`)}</tr></thead>
        <tbody>${rows.map(({ version, turn, steps }, nth) => html`<tr key=${version}><th scope="row" data-label=${turn === 0 ? null : heads[0]}><button class="moment"
          onClick=${() => showAt(version)} aria-label=${`${t("review.look")}: ${written(steps[0])}`}>${turn || (turn === 0 ? t("review.start") : version)
          }</button></th><td>${steps.map(written).join("; ")}</td><td data-label=${heads[2]}>${worth(rows[nth], nth)}</td>
          <td data-label=${heads[3]}>${steps.map(instead).filter(Boolean).join("; ")}</td></tr>`)}</tbody>
        ${isComplete && html`<tfoot><tr><th scope="row" colspan="2">${t("review.choices")}</th><td data-label=${heads[2]}>${t("review.about", { points: signed(choices) })}</td><td></td></tr></tfoot>`}
      </table></div>
      <p class="faint">${t("review.columns")}</p>
    </details>`}</div>`;
}

/** @typedef {{version: number, turn: number | null, steps: ReviewedMove[]}} Turn */

/**
 * Group reviewed steps by turn. A game that doesn't number its turns has one for each version.
 * @param {ReviewedMove[]} moves
 * @param {GameEvent[]} story
 */
function byTurn(moves, story) {
  /** @type {Turn[]} */
  const rows = [];
  for (const it of moves) {
    const [turn, last] = [turnAt(story, it.version), rows.at(-1)];
    if (last && last.turn === turn && (turn || last.version === it.version)) last.steps.push(it);
    else rows.push({ version: it.version, turn, steps: [it] });
  }
  return rows;
}

/**
 * Return whether a difference in points is clear even among all moves of a game.
 * @param {number} points
 * @param {number} margin
 */
const standsOut = (points, margin) => points > Math.max(LEAST, DOUBT * margin);

const sum = (/** @type {number[]} */ numbers) => numbers.reduce((all, it) => all + it, 0);

const gainOf = (/** @type {ReviewedMove} */ it) => it.better?.gain ?? 0;

/** @param {{it: ReviewedMove, words: string, showAt: (version: number) => void}} props */
const Look = ({ it, words, showAt }) => html`<button class="plain" onClick=${() => showAt(it.version)}
  aria-label=${`${t("review.look")}: ${words}`}>${t("review.look")}</button>`;

/** @typedef {{at: number, by: number, words: string}} Mark */

/**
 * Draw a seat's lead over the average of the others, move by move, with buttons for the seat's best and worst moves.
 * @param {{rows: Row[], seat: number, version: number, at: number | null, lost: Mark[], won: Mark[],
 *   showAt: (version: number) => void}} props
 */
function Curve({ rows, seat, version, at, lost, won, showAt }) {
  const leads = rows.map(({ scores }) => scores[seat]
    - scores.reduce((sum, it, other) => sum + (other === seat ? 0 : it), 0) / (scores.length - 1));
  const [most, least] = [Math.max(1, ...leads), Math.min(-1, ...leads)];
  const x = (/** @type {number} */ at) => SIDE + ((WIDE - 2 * SIDE) * (at - 1)) / Math.max(1, version - 1);
  const y = (/** @type {number} */ lead) => LANE + ((HIGH - 2 * LANE) * (most - lead)) / (most - least);
  const path = rows.map((it, i) => `${i ? `H${x(it.version).toFixed(1)}V` : `M${x(it.version)} `}${y(leads[i]).toFixed(1)}`).join("");
  const leadAt = (/** @type {number} */ at) => leads[rows.findLastIndex((it) => it.version <= at)] ?? 0;
  const marks = [...apart(won, x).map((it) => ({ ...it, top: LANE / 2 })), ...apart(lost, x).map((it) => ({ ...it, top: HIGH - LANE / 2 }))];
  return html`<div class="curve">
    <svg viewBox=${`0 0 ${WIDE} ${HIGH}`} role="img" aria-label=${t(`review.chart${rows[0]?.scores.length === 2 ? ".two" : ""}`, {
      lead: signed(leads[leads.length - 1]) })}>
      <line class="zero" x1=${SIDE} x2=${WIDE - SIDE} y1=${y(0)} y2=${y(0)} /><text x=${SIDE - 4} y=${y(0) + 4} text-anchor="end">0</text>
      ${at !== null && html`<line class="here" x1=${x(at)} x2=${x(at)} y1="2" y2=${HIGH - 2} />`}
      <path class="lead" d=${`${path}H${x(version)}`} />
      ${marks.map((it) => html`<line key=${`${it.at} ${it.by}`} class="lead-line" x1=${it.left} x2=${x(it.at)} y1=${it.top} y2=${y(leadAt(it.at))} />
        <circle cx=${x(it.at)} cy=${y(leadAt(it.at))} r="2.5" />`)}
    </svg>
    ${marks.toSorted((one, other) => one.at - other.at).map((it) => html`<button key=${`${it.at} ${it.by}`} class=${it.by > 0 ? "won" : "lost"}
      style=${{ left: `${(100 * it.left) / WIDE}%`, top: `${(100 * it.top) / HIGH}%` }} aria-pressed=${it.at === at}
      aria-label=${it.words} title=${it.words} onClick=${() => showAt(it.at)}>${it.by > 0 ? "▲" : "▼"}</button>`)}
  </div>`;
}

/**
 * Place marks in a lane near their moves without overlaps.
 * @param {Mark[]} marks
 * @param {(at: number) => number} x
 */
function apart(marks, x) {
  const placed = marks.toSorted((one, other) => one.at - other.at).map((it) => ({ ...it, left: x(it.at) }));
  placed.forEach((it, i) => (it.left = Math.max(it.left, i ? placed[i - 1].left + APART : APART / 2)));
  let end = WIDE - APART / 2;
  for (const it of placed.toReversed()) {
    it.left = Math.min(it.left, end);
    end = it.left - APART;
  }
  return placed;
}

/**
 * Format points with an explicit sign.
 * @param {number | null} number
 */
function signed(number) {
  const points = Math.round(number ?? 0);
  return points > 0 ? `+${points}` : `${points}`.replace("-", "−");
}
