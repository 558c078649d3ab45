// The text of the rules: sections of paragraphs, lists and figures, some of which depend on options.
//
// A section of `words/<language>/rules-<game>.json` is `{id, title, rule?, when?, text: [block, ...]}`; a block is
//   "A paragraph, *strong*, with a [link](/docs) and a {value}."
//   ["an item of a list", "another"]
//   {"figure": "name", "caption": "the caption", "alt": "the picture in words"}
//   {"option": "doubling", "linear": block, "compound": block}     one block per value; "1 4" matches two values,
//                                                                  "else" all others; may have `when` as below
//   {"when": {"scenario": "1 4"}, "text": [block, ...]}            shown if every option has one of its values
import { html } from "../ui/html.js";
import { editionName } from "../ui/game-words.js";
import { listed, t } from "../ui/words.js";

const BLANK = /\{(\w+)\}/g;
const INLINE = /\*([^*]+)\*|\[([^\]]+)\]\(((?:\/docs|#\/)[\w/#-]*)\)/g;

/** Return the named editions or scenarios of a game, each with the values of all options. */
export function editionsOf(rules) {
  const defaults = Object.entries(rules.options.properties).map(([name, it]) => [name, it.default]);
  return Object.entries(rules.editions).map(([id, values]) => ({
    id, options: { ...Object.fromEntries(defaults), ...values },
  }));
}

/** Return whether the options match `when`. */
export const holds = (when = {}, options) =>
  Object.entries(when).every(([name, values]) => values.split(" ").includes(String(options[name])));

const valuesIn = (block) => Object.keys(block).filter((key) => key !== "option" && key !== "when");

/** Return the key of an option block that matches the options. */
const keyOf = (block, options) => {
  const value = String(options[block.option]);
  return valuesIn(block).find((key) => key.split(" ").includes(value)) ?? ("else" in block ? "else" : null);
};

/** Name the editions that a text applies to, unless it applies to all. In none of them, it is optional. */
export function Whom({ found, all }) {
  if (found.length === all.length) return null;
  if (!found.length) return html`<span class="whom agreed">${t("rules.agreed")}</span>`;
  return html`<span class="whom">${listed(found.map((it) => editionName(it.id)))}</span>`;
}

/** Render blocks for a game's `options`. If null, label the variants with the `editions` they apply to. */
export const Text = ({ blocks, ...how }) => blocks.map((it, i) => html`<${Block} key=${i} block=${it} ...${how} />`);

function Block({ block, ...how }) {
  const { options, editions, values } = how;
  if (typeof block === "string") return html`<p><${Inline} text=${block} values=${values} /></p>`;
  if (Array.isArray(block)) {
    return html`<ul>${block.map((it, i) => html`<li key=${i}><${Inline} text=${it} values=${values} /></li>`)}</ul>`;
  }
  if (block.figure) return html`<${Figure} block=${block} ...${how} />`;
  if (block.text) {
    if (options) return holds(block.when, options) && html`<${Text} blocks=${block.text} ...${how} />`;
    const found = editions.filter((it) => holds(block.when, it.options));
    return html`<${Variant} found=${found} all=${editions}><${Text} blocks=${block.text} ...${how}
      editions=${found} /><//>`;
  }
  if (options) {
    const key = holds(block.when, options) ? keyOf(block, options) : null;
    return key !== null && html`<${Block} block=${block[key]} ...${how} />`;
  }
  const concerned = editions.filter((it) => holds(block.when, it.options));
  return valuesIn(block).map((key) => {
    const found = concerned.filter((it) => keyOf(block, it.options) === key);
    return html`<${Variant} key=${key} found=${found} all=${editions}><${Block} block=${block[key]} ...${how}
      editions=${found} /><//>`;
  });
}

const Variant = ({ found, all, children }) =>
  found.length === all.length
    ? children
    : html`<div class="variant"><p><${Whom} found=${found} all=${all} /></p>${children}</div>`;

function Figure({ block, values, figures }) {
  const drawn = figures[block.figure];
  return drawn && html`<figure>
    ${drawn(filled(block.alt ?? "", values))}
    <figcaption><${Inline} text=${block.caption} values=${values} /></figcaption>
  </figure>`;
}

const filled = (text, values) => text.replace(BLANK, (whole, name) => values[name] ?? whole);

/** Render *strong* text and links. Only links to our own pages are recognised. */
function Inline({ text, values }) {
  const parts = [];
  let at = 0;
  const words = filled(text, values);
  for (const { 0: whole, 1: strong, 2: link, 3: address, index } of words.matchAll(INLINE)) {
    const marked = strong ? html`<strong>${strong}</strong>` : html`<a href=${address}>${link}</a>`;
    parts.push(words.slice(at, index), marked);
    at = index + whole.length;
  }
  return [...parts, words.slice(at)];
}
