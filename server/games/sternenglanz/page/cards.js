// The cards of Sternenglanz, with the same faces as in emailed pictures.
import { html } from "../ui/html.js";
import { locale, t } from "../ui/words.js";
import { Piece } from "./pieces.js";
/** @import { ActionCard, Cards, Piece as Kind, Rules, Sternbild } from "./types" */

/** @param {string} copy */
const typeOf = (copy) => copy.split("#")[0];

/**
 * @param {string} copy
 * @param {Cards} cards
 */
export const kindOf = (copy, cards) => cards.actions.find((it) => it.id === typeOf(copy));

/**
 * Return the name of a card such as `geburt#3`, distinct from other cards of its type: Black hole B.
 * @param {string} copy
 * @param {Cards} cards
 */
export function cardName(copy, cards) {
  const kind = kindOf(copy, cards);
  if (!kind) return copy;
  const isOnly = cards.actions.filter((it) => it.type === kind.type).length === 1;
  return kind.names[locale()] + (isOnly ? "" : ` ${kind.id.replace(/.*-/, "").toUpperCase()}`);
}

/**
 * Return the points for removing the star on a field with a black hole: those of the best pattern that fits.
 * @param {string | null} copy
 * @param {string} field
 * @param {Record<string, Kind>} board
 * @param {Rules} rules
 */
export function holePoints(copy, field, board, { cards, firmament }) {
  const near = firmament.lines.filter((it) => it.includes(field)).flat().filter((it) => it !== field).map((it) => board[it]);
  const number = (/** @type {unknown[]} */ of, /** @type {Kind} */ kind) => of.filter((it) => it === kind).length;
  const fitting = (copy && kindOf(copy, cards)?.constellations || []).filter(({ top, with: beside }) =>
    top === board[field] && beside.every((it) => number(near, it) >= number(beside, it)));
  return Math.max(0, ...fitting.map((it) => it.points));
}

/**
 * @param {Kind} kind
 * @param {Cards} cards
 */
const star = (kind, cards) => cards.classes[kind][locale()];

/**
 * Draw the face of a card, or of the Sterngeburt printed on slot 1 for `null`.
 * @param {{copy: string | null, cards: Cards}} props
 */
export function Face({ copy, cards }) {
  const kind = copy === null ? { type: "sterngeburt" } : kindOf(copy, cards);
  return html`<svg class="face" viewBox="0 0 104 84" aria-hidden="true">
    ${kind ? html`<${Action} kind=${kind} />` : html`<text x="52" y="48" text-anchor="middle">${copy}</text>`}
  </svg>`;
}

/** @param {{kind: Partial<ActionCard>}} props */
function Action({ kind }) {
  if (kind.type === "sterngeburt") return html`<text x="26" y="54" class="large" text-anchor="middle">+</text>
    <${Piece} kind="punkt" x="66" y="42" size="6.4" />`;
  if (kind.type === "sternwanderung") return html`<path class="way" d="M20 58Q44 14 78 40" /><path class="tip"
      d="M70 30L84 44L65 47Z" /><${Piece} kind="punkt" x="20" y="60" size="4" />
    <text x="62" y="77" class="large" text-anchor="middle">${kind.steps?.join("/")}</text>`;
  if (kind.type === "schwarzes-loch") return kind.constellations?.map((it, row) => {
    const y = 17 + 25 * row;
    return html`<g key=${row}><circle class="hole" cx="18" cy=${y} r="12" /><${Piece} kind=${it.top} x="18" y=${y}
        size="2.1" />
      ${it.with.map((each, i) => html`<${Piece} key=${i} kind=${each} x=${44 + 21 * i} y=${y} size="2.1" />`)}
      <text x="98" y=${y + 7} class="points" text-anchor="end">${it.points}</text></g>`;
  });
  return html`<${Piece} kind="nova" x="27" y="42" size="4.2" />
    <text x="98" y="51" class="points large" text-anchor="end">${kind.points ? `+${kind.points}` : ""}</text>`;
}

/**
 * @param {string} id
 * @param {Cards} cards
 */
export const bildName = (id, cards) => cards.sternbilder.find((it) => it.id === id)?.names[locale()] ?? id;

/**
 * Draw the figure of a Sternbild, or the back of a secret one for `null`.
 * @param {{id: string | null, cards: Cards}} props
 */
export function Figure({ id, cards }) {
  const figure = cards.sternbilder.find((it) => it.id === id);
  const place = (/** @type {Sternbild["nodes"][0]} */ node) => [14 + 72 * node.x, 14 + 72 * node.y];
  const at = Object.fromEntries((figure?.nodes ?? []).map((node) => [node.id, place(node)]));
  return html`<svg class="figure" viewBox="0 0 100 100" aria-hidden="true">
    ${!figure && html`<text x="50" y="62" class="large" text-anchor="middle">?</text>`}
    ${figure?.lines.map(([one, other]) => html`<line key=${one + other} class="line" x1=${at[one][0]} y1=${at[one][1]}
      x2=${at[other][0]} y2=${at[other][1]} />`)}
    ${figure?.nodes.map((node) => html`<${Piece} key=${node.id} kind=${node.is} x=${at[node.id][0]}
      y=${at[node.id][1]} size="2.3" />`)}
  </svg>`;
}

/**
 * Show a Sternbild with its name, and describe its figure to screen readers.
 * @param {{id: string | null, cards: Cards, title?: string, isDone?: boolean}} props
 */
export function Bild({ id, cards, title, isDone = false }) {
  const figure = cards.sternbilder.find((it) => it.id === id);
  const name = figure ? bildName(figure.id, cards) : t("bild.secret");
  const joined = figure ? figure.lines.map((ends) => ends.map((it) => named(figure, it, cards)).join(" – ")) : [];
  return html`<figure class=${`bild ${isDone ? "done" : ""}`} data-bild=${id}>
    <${Figure} id=${id} cards=${cards} />
    <figcaption>${title && html`<small>${title}</small>`} ${name}${isDone ? " ✓" : ""}
      ${figure && html`<span class="unseen">${t("bild.lines", { lines: joined.join(", ") })}</span>`}
    </figcaption>
  </figure>`;
}

/**
 * Return the name of a node, numbered within its class: Dot star 2.
 * @param {Sternbild} figure
 * @param {string} id
 * @param {Cards} cards
 */
function named(figure, id, cards) {
  const node = /** @type {Sternbild["nodes"][0]} */ (figure.nodes.find((it) => it.id === id));
  const alike = figure.nodes.filter((it) => it.is === node.is);
  const name = node.is === "gap" ? t("bild.gap") : star(node.is, cards);
  return alike.length > 1 ? `${name} ${alike.indexOf(node) + 1}` : name;
}
