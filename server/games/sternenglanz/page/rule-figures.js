// Figures for the rules of Sternenglanz, and the numbers in their text.
import { html } from "../ui/html.js";
import { editionName } from "../ui/game-words.js";
import { locale, t } from "../ui/words.js";
import { Face, Figure } from "./cards.js";
import { Piece } from "./pieces.js";
/** @import { About, ActionCard, Cards, Example, Examples, Firmament, Piece as Kind, Sternbild } from "./types" */

const EDGE = 7.5; // margin around the fields of a figure; the whole Firmament is 100 wide

/**
 * Return the values for the placeholders in the text, from the game's data.
 * @param {About} about
 */
export function valuesOf({ rules: { cards, firmament, seats }, options, editions, examples }) {
  const count = (/** @type {ActionCard["type"]} */ type) =>
    cards.actions.filter((it) => it.type === type).reduce((sum, it) => sum + it.count, 0);
  const goal = (/** @type {number} */ id) => cards.scenarios.find((it) => it.id === id)?.goalPoints;
  const either = (/** @type {number[]} */ numbers) => new Intl.ListFormat(locale(), { type: "disjunction" })
    .format([...new Set(numbers)].sort((one, other) => one - other).map(String));
  const nova = cards.actions.find((it) => it.type === "supernova")?.points ?? 0;
  const nodes = (/** @type {Kind} */ kind) =>
    cards.sternbilder[0].nodes.filter((it) => it.is === kind).length; // the same in every Sternbild
  const scenario = options && editions.find((it) => it.options.scenario === options.scenario);
  return {
    players: either(seats), hand: cards.handSize, kept: cards.handSize - 2,
    start: firmament.start, fields: firmament.fields.length,
    bonus: either(firmament.fields.flatMap((it) => it.bonus ?? [])),
    punkt: cards.limits.punkt, leucht: cards.limits.leucht, pracht: cards.limits.pracht, nova: cards.limits.nova,
    births: count("sterngeburt"), moves: count("sternwanderung"), holes: count("schwarzes-loch"),
    supernovas: count("supernova"), bilder: cards.sternbilder.length,
    steps: either(cards.actions.flatMap((it) => it.steps ?? [])),
    leucht_needs: cards.birthNeeds.leucht.count, pracht_needs: cards.birthNeeds.pracht.count,
    leucht_points: cards.birthPoints.leucht, pracht_points: cards.birthPoints.pracht,
    nova_at: cards.supernovaAt, nova_points: nova, nova_first: nova - 1,
    nova_last: nova - cards.limits.nova, bild_points: cards.sternbilder[0].points,
    bild_punkt: nodes("punkt"), bild_leucht: nodes("leucht"), bild_pracht: nodes("pracht"),
    wins: scenario ? t("rules.wins.in", { scenario: editionName(scenario.id) }) : t("rules.wins"),
    goal_1: goal(1), goal_3: goal(3), goal_4: goal(4), rounds: (options ?? editions[0].options).max_rounds,
    birth_field: lastOf(examples.birth), birth_points: examples.birth.points[1],
    birth_bonus: firmament.fields.find((it) => it.id === lastOf(examples.birth))?.bonus,
    hole_points: examples.hole.points[1],
  };
}

/**
 * Return functions that draw the figures, by name, given their alternative text.
 * @param {About} about
 * @returns {Record<string, (alt: string) => any>}
 */
export function figuresOf({ rules: { cards, firmament }, examples }) {
  const { birth, move, hole, nova, bild, shift } = examples;
  const { lines, nodes } = /** @type {Sternbild} */ (cards.sternbilder.find((it) => it.id === bild.bild));
  /** @type {Record<string, (alt: string) => any>} */
  const drawn = {
    classes: (alt) => html`<${Classes} classes=${cards.classes} alt=${alt} />`,
    birth: (alt) => html`<${Sky} of=${firmament} example=${birth} alt=${alt}
      laid=${{ [lastOf(birth)]: "leucht" }} />`,
    move: (alt) => html`<${Sky} of=${firmament} example=${move} alt=${alt}
      way=${move.move.split(" ").slice(2)} />`,
    hole: (alt) => html`<div class="pair">
      <${Sky} of=${firmament} example=${hole} alt=${alt} gone=${[lastOf(hole)]} />
      <div class="card-face"><${Face} copy=${hole.card} cards=${cards} /></div></div>`,
    nova: (alt) => html`<${Sky} of=${firmament} example=${nova} gone=${nova.gone} laid=${{ [lastOf(nova)]: "nova" }}
      alt=${alt} />`,
    bild: (alt) => html`<div class="pair"><${Figure} id=${bild.bild} cards=${cards} />
      <${Sky} of=${firmament} example=${bild} bold=${lines.map((line) => line.map((it) => bild.nodes[it]))}
        gaps=${nodes.filter((it) => it.is === "gap").map((it) => bild.nodes[it.id])} alt=${alt} /></div>`,
    shift: (alt) => html`<${Shift} example=${shift} cards=${cards} alt=${alt} />`,
  };
  /** @type {(draw: (alt: string) => any) => (alt: string) => any} */
  const atNight = (draw) => (alt) => html`<div class="sternenglanz">${draw(alt)}</div>`;
  return Object.fromEntries(Object.entries(drawn).map(([name, it]) => [name, atNight(it)]));
}

/** @param {Example} example */
const lastOf = (example) => example.move.replace(/.* /, "");

/**
 * List the classes of pieces with their names.
 * @param {{classes: Cards["classes"], alt: string}} props
 */
const Classes = ({ classes, alt }) => html`<ul class="classes" aria-label=${alt}>
  ${Object.entries(classes).map(([kind, names]) => html`<li key=${kind}>
    <svg class="sky-part" viewBox="-6.5 -6.5 13 13" aria-hidden="true"><${Piece} kind=${kind} /></svg>
    <strong>${names[locale()]}</strong></li>`)}
</ul>`;

/**
 * Draw the part of the Firmament that an example needs, with its pieces and changes.
 * @param {{of: Firmament, example: Example, laid?: Record<string, Kind>, gone?: string[], way?: string[],
 *   bold?: string[][], gaps?: string[], alt: string}} props
 */
function Sky({ of: firmament, example, laid = {}, gone = [], way = [], bold = [], gaps = [], alt }) {
  const fields = firmament.fields.filter((it) => example.fields.includes(it.id));
  const at = Object.fromEntries(fields.map((it) => [it.id, [100 * it.x, 100 * it.y]]));
  const edges = [0, 1].map((i) => {
    const along = Object.values(at).map((it) => it[i]);
    return [Math.min(...along) - EDGE, Math.max(...along) + EDGE];
  });
  const [[left, right], [top, low]] = edges;
  /** @type {(kind: string) => (ends: string[]) => any} */
  const line = (kind) => ([one, other]) => html`<line key=${one + other} class=${kind} x1=${at[one][0]} y1=${at[one][1]}
    x2=${at[other][0]} y2=${at[other][1]} />`;
  return html`<svg class="sky-part" role="img" aria-label=${alt}
    viewBox=${[left, top, right - left, low - top].map((it) => it.toFixed(1)).join(" ")}>
    ${firmament.lines.filter((ends) => ends.every((it) => at[it])).map(line("line"))}
    ${bold.map(line("line bold"))}
    ${way.length > 0 && html`<polyline class="way path" points=${way.map((it) => at[it].join(",")).join(" ")} />`}
    ${fields.map(({ id, bonus }) => {
      const kind = laid[id] ?? example.stars[id];
      const isMarked = id in laid || id === way.at(-1);
      const isInside = (kind === "punkt" || kind === "leucht") && !gone.includes(id); // the rest leave no room for it
      return html`<g key=${id} class=${`field ${bonus ? "special" : ""} ${isMarked ? "fresh" : ""}`}
        transform=${`translate(${at[id].join(" ")})`}>
        <circle class="halo" r=${kind ? 5.3 : 3.6} />
        ${!kind && html`<circle class="ring" r="2.3" />`}
        ${kind && html`<g class=${gone.includes(id) ? "leaving" : ""}><${Piece} kind=${kind} /></g>`}
        ${gaps.includes(id) && html`<${Piece} kind="gap" />`}
        ${gone.includes(id) && html`<path class="cross" d="M-3.4 -3.4l6.8 6.8m0 -6.8l-6.8 6.8" />`}
        ${!gaps.includes(id) && html`<text class=${isInside ? "name inside" : "name"}
          y=${kind && !isInside ? 6.9 : 0.75}>${id}</text>`}
        ${bonus && html`<text class="bonus" x=${kind ? 3.6 : 1.9} y=${kind ? -3 : -1.9}>+${bonus}</text>`}
      </g>`;
    })}
  </svg>`;
}

/**
 * Draw a tableau before and after the shift.
 * @param {{example: Examples["shift"], cards: Cards, alt: string}} props
 */
function Shift({ example, cards, alt }) {
  /** @type {(id: string | null, i: number) => any} */
  const slot = (id, i) => html`<li key=${i}><span class=${id ? "card-face" : "card-face bare"}>
    <span class="head">${i + 1}</span><${Face} copy=${id} cards=${cards} /></span></li>`;
  return html`<div class="shift" role="img" aria-label=${alt}>
    <ol class="slots">${example.before.map(slot)}</ol><p>↓</p><ol class="slots">${example.after.map(slot)}</ol>
  </div>`;
}
