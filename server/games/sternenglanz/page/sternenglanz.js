// The table of Sternenglanz: the Firmament, the tableaus, and the tray in which the player builds a turn.
import { html, useEffect, useRef, useState } from "../ui/html.js";
import { addressOf } from "../ui/files.js";
import { isIn } from "../ui/focus.js";
import { useStore } from "../ui/store.js";
import { isTerse } from "../ui/verbosity.js";
import { waitInWords } from "../ui/waiting-for-me.js";
import { listed, t } from "../ui/words.js";
import { Guide, input, useGuide } from "../table/guide.js";
import { useBegun, useCompared, useHinted, usePrepared } from "../table/hinted.js";
import { useNextFocus } from "../table/next-focus.js";
import { nextMoves, usePlanning } from "../table/planning.js";
import { sentence, sinceOwnTurn, tellToo } from "../table/story.js";
import { seatName } from "../ui/game-words.js";
import { enter, later, quietly } from "../ui/lazy-loading.js";
import { useMedia } from "../ui/size.js";
import { Sorry } from "../ui/parts.js";
import { leap } from "../ui/roving-tabindex.js";
import { joined, useBuilding } from "./building.js";
import { Bild, holePoints } from "./cards.js";
import { Firmament } from "./firmament.js";
import { CLASSES, Mark } from "./pieces.js";
import { afterSteps, changes, className, foreseen, lastTurns, latestFirst, movedInShort, moveName, roundInWords, SENTENCES, sinceLastTurn } from "./story.js";
import { Hand, onSlot, OwnSlots, Tableau } from "./tableau.js";
/** @import { Building, Cards, Field, Move, Rules, Tap, Scenario, Table, View } from "./types" */

const ACTIONS = [...CLASSES, "lapse", "finish", "keep", "drop", "bare"]; // in display order

const MOVED = new Set(["star-laid", "star-moved", "star-removed", "supernova-laid", "sternbild-completed", "action-lapsed"]);

const SHORT = new Set(["star-laid", "star-moved", "star-removed"]); // of those, what a few words tell

const WIDE = "(min-width: 64rem), (orientation: landscape) and (min-width: 40rem)"; // as in sternenglanz.css

const Tooltips = quietly(() => enter("tooltips"), "Tooltips");
const Arrivals = quietly(() => import(addressOf("sternenglanz/arrivals.js")), "Arrivals");
const Planner = quietly(() => enter("details"), "Planner");
const Steps = later("sternenglanz/steps", "Steps");
const Tale = later("sternenglanz/tale", "Tale");

/** @param {{table: Table, rules: Rules, view: View, at: number | null}} props */
export function Room({ table, rules, view: now, at }) {
  const { game, legal, story } = table;
  const { cards, firmament } = rules;
  const seat = game.you?.seat;
  const names = game.seats.map(seatName);
  const planning = usePlanning(table, at);
  const turn = planning ? planning.turn : at === null && legal ? legal.turn : null;
  const building = useBuilding(table, turn, planning?.next.moves ?? (turn === null || !legal ? [] : legal.moves),
    planning ? (steps) => nextMoves(table.base, planning.plan, steps) : undefined);
  const suggested = joined(useHinted(table.base, turn));
  const hint = marksOf(suggested);
  const reviewed = useCompared(table.base, at);
  const [played, better] = [marksOf(joined(reviewed.played)), marksOf(joined(reviewed.better))];
  const place = useRef();
  useEffect(() => tellToo(SENTENCES), []);
  const keys = useNextFocus(place, JSON.stringify([building.begun.map((it) => it.move), building.taps]),
    building.isWhole ? [".send"] : NEXT, building.busy || !!building.sending);
  useBegun(building.begun.map((it) => it.move), { partial: building.taps.length > 0, whole: building.isWhole });
  usePrepared(table.base, turn, (moves) => {
    keys.byKeys.current = true; // from the closed hint, the focus moves to the button that confirms
    place.current.querySelector(".tray").focus({ preventScroll: true });
    building.addAll(moves);
  });
  const terse = useStore(isTerse);

  const view = building.foresight?.view ?? planning?.next.foresight.view ?? now;
  const scenario = /** @type {Scenario} */ (cards.scenarios.find((it) => it.id === view.scenario));
  const slot = building.tapped("slot")[0];
  const path = building.tapped("field");
  const targets = building.open("field");
  const isAimed = slot !== undefined || path.length > 0;
  const news = seat === undefined ? lastTurns(story) : sinceOwnTurn(story, seat);
  const past = at === null ? news : story.filter((it) => it.version === at);
  const before = changes(past, "fresh");
  const built = changes(building.begun.flatMap((it) => it.would), "planned");
  const drawn = afterSteps(view.board, suggested.steps, firmament);
  const ways = [...before.ways, ...built.ways, ...hint.paths.map((fields) => ({ fields, kind: "planned" })),
    ...played.paths.map((fields) => ({ fields, kind: "played" })), ...better.paths.map((fields) => ({ fields, kind: "better" })),
    ...(path.length > 1 ? [{ fields: path, kind: "path" }] : [])];
  const marks = (/** @type {string} */ id) => [
    building.isOpen("field", id) && "open",
    isAimed && targets.has(id) && !building.busy && "lit",
    path.includes(id) && "chosen",
    built.marks[id] ?? before.marks[id],
    hint.fields.includes(id) && "hinted",
    played.fields.includes(id) && "played",
    better.fields.includes(id) && "better",
  ].filter(Boolean).join(" ");
  const isHole = building.fits[0]?.action[0] === "remove";
  /** @param {string} id */
  const worth = (id) => (game.outcome && at === null ? 0 : slot !== undefined && seat !== undefined && isHole && isAimed && targets.has(id)
    ? (scenario.cardPoints ? holePoints(view.slots[seat][slot - 1], id, view.board, rules) : 0) : null);
  /** @param {Field} field */
  const name = (field) => [fieldName(field, { view, scenario, cards, lit: isAimed && targets.has(field.id), path,
    isFresh: field.id in before.marks || field.id in before.gone, lines: terse ? [] : firmament.lines }),
  worth(field.id) && t("points", { count: worth(field.id) }),
  played.fields.includes(field.id) && t("compared.played"), better.fields.includes(field.id) && t("compared.better"),
  ].filter(Boolean).join(", ");
  const plays = seat !== undefined && now.result === null && game.outcome === null && game.status !== "abandoned";
  const seats = view.slots.map((_, i) => (seat === undefined ? i : (seat + 1 + i) % view.slots.length));

  const isBeside = useMedia(WIDE);

  const explain = async (/** @type {HTMLElement} */ it) => (await import(addressOf("sternenglanz/tips.js"))).explain(it.dataset, { cards, view, seat, name,
    building, table, turn, isAimed, isPlanned: !!planning, field: firmament.fields.find((one) => one.id === it.dataset.field),
    pieces: piecesOf(scenario), decks: () => decks(view, scenario, seat) });

  const steps = building.begun.map((it) => it.move);
  const planner = at === null && html`<${Planner} table=${table} rules=${rules}
    draft=${planning?.form.draft(steps, now, rules) ?? []} />`;
  const further = html`${turn !== null && html`<${StepList} building=${building} cards=${cards} />`}
    <div class="tableaus">
      ${seats.filter((it) => it !== seat || !plays).map((it) => html`<${Tableau} key=${it} game=${game} view=${view}
        seat=${it} cards=${cards} />`)}
    </div>`;
  return html`<div class="sternenglanz" ref=${place} data-begun=${building.begun.length}
    onPointerDown=${keys.onPointerDown}
    onKeyDown=${(/** @type {KeyboardEvent} */ event) => {
      keys.onKeyDown();
      if (event.key === "Escape") building.undo();
      leap(event, [...place.current.querySelectorAll(".field.lit")])?.focus();
    }}>
    <div class="first">
      <div class="at-hand">
        <${Beside} view=${view} now=${now} scenario=${scenario} cards=${cards} seat=${seat} />
        ${plays && html`<${Tray} building=${building} turn=${turn} at=${at} now=${now} view=${view} seat=${seat}
          names=${names} rules=${rules} planner=${planner} story=${story} hint=${hint} waits=${waitInWords(game)} isPaused=${game.status === "paused"} />`}
      </div>
      <${Firmament} firmament=${firmament} board=${drawn.now} hasBonus=${scenario.bonusPoints} worth=${worth} name=${name}
        marks=${marks} ways=${ways} gone=${{ ...before.gone, ...built.gone, ...drawn.gone }}
        act=${turn !== null && ((/** @type {string} */ id) => building.tap("field", id))} />
      ${isBeside && html`<div class="further">${further}</div>`}
    </div>
    ${game.outcome && at === null && html`<${Tale} story=${story} names=${names} cards=${cards} seat=${game.you?.seat} />`}
    ${!isBeside && further}
    <${Tooltips} place=${place} explain=${explain} />
    <${Arrivals} place=${place} table=${table} at=${at} />
  </div>`;
}

/**
 * Return what a suggested move uses.
 * @param {{steps: any[]}} move
 */
function marksOf({ steps }) {
  const laid = steps.filter((it) => it.cmd !== "act");
  const paths = steps.flatMap((it) => (it.path ? [it.path] : []));
  return {
    paths,
    /** @type {unknown[]} */
    slots: steps.flatMap((it) => (it.cmd === "act" ? [it.slot] : [])),
    /** @type {Record<string, number>} */
    into: Object.fromEntries(laid.flatMap((it) => [1, 2, 3].flatMap((slot) => (it[`slot${slot}`] ? [[it[`slot${slot}`], slot]] : [])))), // slots by card
    /** @type {string[]} */
    fields: [...paths.flat(), ...steps.flatMap((it) => (it.field ? [it.field] : []))],
  };
}

/** @param {{building: Building, cards: Cards}} props */
function StepList({ building, cards }) {
  const [isOpen, setOpen] = useState(false);
  const { moves, add, busy, sending } = building;
  const toggle = (/** @type {{target: HTMLDetailsElement}} */ { target }) => setOpen(target.open);
  return html`<details class=${`card step-list ${moves.length ? "" : "unused"}`} open=${isOpen} onToggle=${toggle}>
    <summary>${t("steps.list", { count: moves.length })}</summary>
    ${isOpen && html`<${Steps} moves=${moves} cards=${cards} add=${add} isLocked=${busy || !!sending} />`}
  </details>`;
}

const NEXT = [".field.lit", ".held.lit", ".slot.lit", ".actions button[aria-pressed=false]", ".send:enabled"];

/**
 * @param {Field} field
 * @param {{view: View, scenario: Scenario, cards: Cards, lit: boolean, path: string[], isFresh: boolean,
 *   lines: [one: string, other: string][]}} about
 */
function fieldName({ id, bonus }, { view, scenario, cards, lit, path, isFresh, lines }) {
  const lying = view.board[id];
  const joined = lines.filter((it) => it.includes(id)).flat().filter((it) => it !== id);
  return [
    t("field", { field: id, lying: lying ? className(lying, cards) : t("field.free") }),
    bonus && scenario.bonusPoints && t("field.bonus", { bonus }),
    isFresh && t("field.fresh"),
    path.includes(id) && t("field.chosen"),
    lit && t("field.lit"),
    joined.length > 0 && t("field.joined", { fields: listed(joined) }),
  ].filter(Boolean).join(", ");
}

/**
 * Show the goal, the supply and the player's Sternbilder. `now` is without the steps of the preview.
 * @param {{view: View, now: View, scenario: Scenario, cards: Cards, seat?: number}} props
 */
function Beside({ view, now, scenario, cards, seat }) {
  const { open, own } = view.sternbilder;
  const mine = seat === undefined ? null : own[seat];
  const done = seat === undefined ? [] : view.sternbilder.done[seat];
  /** @type {Record<string, number>} */
  const supply = view.supply;
  return html`<section class="beside" aria-label=${t("goal")}>
    ${seat === undefined && html`<p class="goal"><strong>${goalName(scenario)}</strong></p>`}
    <p class="faint phase" data-tip="decks">${now.phase === "choose" ? t("phase.choose") : t("phase.turn", { turn: now.turn })}</p>
    ${open && html`<${Bild} id=${open} cards=${cards} title=${t("bild.open")} />`}
    ${mine?.sternbild && html`<${Bild} id=${mine.sternbild} cards=${cards}
      title=${t(scenario.sternbild === "own-secret" ? "bild.own-secret" : "bild.own")} />`}
    ${done.map((id) => html`<${Bild} key=${id} id=${id} cards=${cards} title=${t("bild.done")} isDone />`)}
    <ul class="supply" aria-label=${t("supply")} data-label=${t("supply")}>
      ${piecesOf(scenario).map((kind) => html`<li key=${kind} data-tip="supply"><${Mark} kind=${kind} /><span
        class="unseen">${className(kind, cards)}: </span>${supply[kind]}</li>`)}
    </ul>
    <p class="faint decks">${decks(view, scenario, seat)}</p>
  </section>`;
}

/** @param {Scenario} scenario */
const piecesOf = ({ supernova }) => (supernova ? [...CLASSES, "nova"] : CLASSES);

/**
 * Describe the decks and discards.
 * @param {View} view
 * @param {Scenario} scenario
 * @param {number} [seat]
 */
const decks = (view, scenario, seat) => [
  seat !== undefined && t("discards.own", { count: view.discards[seat] }),
  seat !== undefined && view.granted[seat] && t("granted"),
  t("deck", { count: view.deck }),
  scenario.supernova && t("reserve", { count: view.reserve }),
  scenario.sternbild !== "none" && t("bild.deck", { count: view.sternbilder.deck }),
].filter(Boolean).join(" · ");

/** @param {Scenario} scenario */
function goalName({ goalPoints, goalBilder, sternbild }) {
  if (goalPoints === null) return t("goal.bild");
  if (goalBilder) return t("goal.both", { count: goalPoints });
  return t(sternbild === "shared-open" ? "goal.gallery" : "goal.points", { count: goalPoints });
}

/**
 * Show the player's slots and hand, and the turn built so far.
 * @param {{building: Building, turn: number | null, at: number | null, now: View, view: View, seat: number,
 *   names: string[], rules: Rules, planner: any, story: Table["story"], hint: ReturnType<typeof marksOf>, isPaused: boolean, waits: string}} props
 */
function Tray({ building, turn, at, now, view, seat, names, rules, planner, story, hint, isPaused, waits }) {
  const { cards } = rules;
  const { begun, taps, fits, error, sending, busy, foresight, isWhole } = building;
  const chosen = building.tapped("slot")[0];
  const laying = building.tapped("card");
  const isLaying = building.moves.some((it) => ["choose", "lay"].includes(it.steps[0].cmd));
  const planned = Object.fromEntries(laying.length || view.phase === "act" ? laying.map((card, i) => [fits[0]?.into[i], card])
    : Object.entries(hint.into).map(([card, slot]) => [slot, card])); // after actions, the slots shift first
  const isLocked = busy || !!sending;
  const lit = (/** @type {Tap["kind"]} */ kind, /** @type {unknown} */ value) =>
    turn !== null && building.open(kind).has(value) && !isLocked;
  /** @type {(kind: Tap["kind"], value: unknown, isChosen: boolean) => string} */
  const marks = (kind, value, isChosen) => [building.isOpen(kind, value) && "open", lit(kind, value) && "lit",
    isChosen && "chosen", (kind === "slot" ? hint.slots.includes(value) : String(value) in hint.into) && "hinted"].filter(Boolean).join(" ");
  const isFilling = !laying.length && fits.length > 0 && fits.every((it) => it.into[0] === 2); // slot 1 comes later
  const actions = ACTIONS.filter((it) => building.actions().has(it) && !(isFilling && it === "bare"));
  const done = building.tapped("action");
  const isDone = (/** @type {string} */ action) =>
    done.includes(action) || (actions.length === 1 && CLASSES.includes(action));
  const scenario = /** @type {Scenario} */ (cards.scenarios.find((it) => it.id === view.scenario));
  const told = foreseen(begun.flatMap((it) => it.would), seat, names, rules, scenario.cardPoints) || begun.map((it) => moveName(it.move, cards)).join(t("semicolon"));
  const tapSlot = (/** @type {number} */ slot) => building.tap("slot", slot);
  const tapCard = (/** @type {string} */ card) => building.tap("card", card);
  const isOver = begun.at(-1)?.move.steps[0].cmd === "lay";
  const isBegun = begun.length > 0 || taps.length > 0;
  const isPlanned = turn !== null && turn < 0;
  const isFree = !isBegun && !sending;
  const isSecret = begun.at(-1)?.move.steps[0].cmd === "choose";
  const [isGuided, learned, hide] = useGuide("sternenglanz");
  const by = useStore(input);
  const round = at === null && isFree && !isPlanned
    && roundInWords(/** @type {any[]} */ (story), { seat, names, isMine: now.next === seat, cards });
  const isMid = now.next === seat && view.log.performed.length > 0;
  const news = isMid ? story.filter((it) => it.seat === seat && MOVED.has(it.type)).slice(-1)
    : now.turn > 1 ? latestFirst(sinceLastTurn(/** @type {any[]} */ (story), seat, now.next === seat)
      .filter((it) => it.seat !== seat && MOVED.has(it.type))) : [];
  const sentences = news.map((it) => sentence(it, names, rules, seat)).join(" ");
  const isShort = news.length > 1 && news.every((it) => SHORT.has(it.type));
  const moved = at === null && isFree && !isPlanned && (isShort ? movedInShort(news, names, rules) : sentences);
  const aim = at === null && isFree && html`<span class=${now.turn > 1 ? "aim unseen" : "aim"}>${goalName(scenario)}${" "}</span>`;
  const prompt = at !== null ? t("ask.past") : isPaused ? t("ask.paused") : turn === null && !sending ? waits
    : asking(building, { view, seat, cards, scenario });
  const isLed = turn !== null && !isPlanned && isGuided && !sending;
  const isStart = !isBegun && !view.log.performed.length;
  const goesOn = begun.length > 0 && !taps.length && !isWhole && fits.some(({ step }) => step.cmd === "act") && !fits.some(({ step }) => step.cmd === "finish");
  const guiding = isWhole ? "send" : isStart ? `${view.phase === "choose" ? "choose" : "slot"}${by}`
    : chosen !== undefined && !begun.length && !isLaying ? "field" : null; // otherwise, the guide shows the prompt
  const asked = !(isLed && (isStart || !guiding)) && prompt;
  const guide = isLed && html`<${Guide} key=${`${told} ${prompt}`} hide=${!isBegun && hide} isNew=${now.turn < 2 && isStart}
    ...${stepOf(view, { isSecret, laid: laying.length })} words=${guiding ? t(`guide.${guiding}`) : goesOn ? `${prompt} ${t("guide.part", {
      button: t("turn.send-part") })}` : prompt} />`;
  const tray = useRef();
  const send = async () => {
    if (!await building.send()) return;
    if (tray.current && isIn(tray.current)) tray.current.focus({ preventScroll: true }); // the focused button was removed
    if (isOver) learned();
  };
  const said = useRef();
  useEffect(() => { // a long text scrolls, so keys must reach it
    fit(said.current);
    if (isLong(said.current)) said.current.tabIndex = 0;
    else said.current.removeAttribute("tabindex");
  });
  const marked = [isLaying && "laying", (isBegun || isPlanned) && "building"].filter(Boolean).join(" ");
  return html`<section class=${`tray ${marked}`} tabindex="-1" ref=${tray} aria-label=${t("turn")}>
    <div class="say">
      <div class="for-hint" role="status" data-said ref=${said}>
        ${error && html`<${Sorry} error=${error} />`}
        ${isWhole && guide}
        ${building.isLost && html`<p><strong>${t("turn.lost")}</strong></p>`}
        ${building.missed !== null && html`<p key=${building.missed}><strong>${t(building.tapped("field").length ? "ask.missed.way" : "ask.missed", {
          field: building.missed })}</strong></p>`}
        ${foresight && told && !taps.length && !sending && html`<p class="told" key=${told}>${told}
          ${isSecret && ` ${t("would-hide.sternenglanz")}`}
          ${!isPlanned && (!guide || guiding === null) && foresight.would_reveal && ` ${t(isOver ? "would-draw" : "would-reveal.sternenglanz")}`}</p>`}
        ${round && html`<p class="round"><strong>${round}</strong></p>`}
        ${moved && html`<p class="moved" tabindex="-1" title=${sentences} data-more=${t("moved.more")}>${moved}</p>`}
        ${!(isWhole && !sending) && html`<p class="ask" key=${`${told} ${asked}`}>${aim}${asked} ${turn === null && planner}</p>`}
        ${!isWhole && guide}
      </div>
      ${(isBegun || isPlanned) && html`<div class="controls beside-hint">
        ${isBegun && html`<button class="plain" data-undo disabled=${isLocked} onClick=${building.undo}>${t("turn.undo")}</button>`}
        ${isBegun && !isPlanned && html`<button class="plain" disabled=${isLocked} onClick=${building.clear}>${t("turn.clear")}</button>`}
        ${isPlanned && planner}
        ${!isPlanned && begun.length > 0 && html`<button class=${`send ${isWhole ? "" : "plain"}`}
          disabled=${isLocked || taps.length > 0} title=${isWhole ? null : t("turn.send-part.why")}
          onClick=${send}>${t(isWhole ? "turn.send" : "turn.send-part")}</button>`}
      </div>`}
    </div>
    ${actions.length > 0 && turn !== null && html`<div class="actions" key=${isLaying} role="group"
      aria-label=${t("actions.sternenglanz")}>
      ${actions.map((action) => html`<button key=${action} class="plain" data-action=${action} disabled=${isLocked}
        aria-pressed=${isDone(action)} onClick=${() => isDone(action) || building.tap("action", action)}>
        ${CLASSES.includes(action) && html`<${Mark} kind=${action} />`} ${actionName(action, cards)}</button>`)}
    </div>`}
    <div class="own">
      <${OwnSlots} view=${view} seat=${seat} cards=${cards} planned=${planned} act=${tapSlot}
        marks=${(/** @type {number} */ it) => marks("slot", it, it === chosen)} />
      <${Hand} hand=${[...new Set([...(now.hand ?? []), ...(view.hand ?? [])])]} cards=${cards}
        isHere=${(/** @type {string} */ it) => !!view.hand?.includes(it) && !laying.includes(it)}
        act=${tapCard} into=${hint.into} marks=${(/** @type {string} */ it) => (isLaying || it in hint.into ? marks("card", it, false) : "")} />
    </div>
  </section>`;
}

/** @param {HTMLElement} it */
const isLong = (it) => it.scrollHeight > it.clientHeight + 1;

/**
 * Give the news the lines that the rest of the text leaves free, and mark them if they are cut off. A long preview leaves out
 * the guide.
 * @param {HTMLElement} said
 */
function fit(said) {
  said.removeAttribute("data-tight");
  said.toggleAttribute("data-tight", isLong(said));
  const news = /** @type {HTMLElement | null} */ (said.querySelector(".moved:not(:focus)"));
  if (!news) return;
  const set = (/** @type {number} */ lines) => news.style.setProperty("-webkit-line-clamp", String(lines));
  set(1);
  const line = news.clientHeight;
  const free = said.getBoundingClientRect().bottom - /** @type {Element} */ (said.lastElementChild).getBoundingClientRect().bottom;
  set(1 + Math.max(0, Math.floor(free / line)));
  news.toggleAttribute("data-cut", isLong(news));
}

/**
 * Return the number of the current step while the first cards are chosen. The steps of a turn aren't counted, since their
 * number depends on the slots.
 * @param {View} view
 * @param {{isSecret: boolean, laid: number}} about
 */
const stepOf = ({ phase }, { isSecret, laid }) => (isSecret ? { step: 3 } : phase === "choose" ? { step: laid + 1 } : {});

/**
 * @param {string} action
 * @param {Cards} cards
 */
const actionName = (action, cards) => (CLASSES.includes(action) ? className(action, cards) : t(`action.${action}`));

/**
 * Return the prompt for the next tap of the player's turn.
 * @param {Building} building
 * @param {{view: View, seat: number, cards: Cards, scenario: Scenario}} about
 */
function asking(building, { view, seat, cards, scenario }) {
  const { begun, taps, fits, sending, busy } = building;
  if (sending) return t(`sending.${sending}`);
  if (busy) return t("ask.busy");
  if (building.isKept) return t("sending.kept", { button: t("turn.send-part") });
  const [slot] = building.tapped("slot");
  const path = building.tapped("field");
  const places = building.tapped("card").length;
  const into = fits.find((it) => it.into.length > places)?.into[places];
  if (building.moves.some((it) => it.steps[0].cmd === "choose")) return t(`ask.choose.${places + 2}`);
  if (into === 2) return t("ask.lay.2");
  if (into === 1) return t("ask.lay.1");
  const isFurther = begun.length > 0 || view.log.performed.length > 0;
  if (fits.some(({ step }) => step.cmd === "finish")) return t("ask.slot.third", { button: t("action.finish") });
  if (slot === undefined && !path.length) return t(isFurther ? "ask.slot.more" : "ask.slot");
  if (slot === undefined) return t("ask.which-slot");
  const card = onSlot(view, seat, slot, cards);
  const action = fits[0].action[0];
  if (action === "move" && !path.length) return t("ask.star.sternenglanz", { slot, card });
  if (action === "move") return t("ask.way", { at: path.at(-1), count: fits[0].field.length - path.length });
  if (action === "remove") return [t("ask.remove", { slot, card }), scenario.cardPoints && t("ask.remove.points")].filter(Boolean).join(" ");
  if (action === "nova") return t("ask.nova", { slot, card });
  if (action === "lapse") return t("ask.lapse", { slot, card });
  if (path.length) return t("ask.class", { field: path[0] });
  return t("ask.field", { slot, card, count: building.open("field").size });
}

/**
 * Show the Firmament without controls.
 * @param {{rules: Rules, view: View}} props
 */
export const Sky = ({ rules, view }) => html`<${Firmament} firmament=${rules.firmament} board=${view.board}
  hasBonus=${rules.cards.scenarios.some((it) => it.id === view.scenario && it.bonusPoints)} name=${() => ""}
  marks=${() => ""} ways=${[]} gone=${{}} act=${false} />`;

/**
 * Show what a seat has: its slots, cards and Sternbilder.
 * @param {{table: Table, rules: Rules, view: View, seat: number}} props
 */
export const Belongings = ({ table, rules, view, seat }) => html`<div class="sternenglanz"><${Tableau} game=${table.game}
  view=${view} seat=${seat} cards=${rules.cards} isFramed /></div>`;
