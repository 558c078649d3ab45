// The illustrated rules of a game, as a public page and as a panel over a table.
import { html, useEffect, useRef, useState } from "../ui/html.js";
import { cached } from "../ui/api.js";
import { addressOf } from "../ui/files.js";
import { editionName, gameName, title } from "../ui/game-words.js";
import { GAMES, ROOMS } from "../ui/games.js";
import { dress } from "../ui/lazy-loading.js";
import { Sorry, useLoaded } from "../ui/parts.js";
import { Terms } from "../table/actions.js";
import { knows, learn, t, text } from "../ui/words.js";
import { editionsOf, holds, Text, Whom } from "./text.js";

// Options that the text explains elsewhere.
const TOLD = ["start_player", "take_back", "nameless"];

/** Show the rules for all editions, or a chosen one: `#/rules/<game>/<section>`. */
export function Rules({ game, section, edition }) {
  const name = ROOMS.includes(game) ? game : ROOMS[0];
  const [rules, error] = useLoaded(() => cached(`/v1/rules/${name}`), [name]);
  const [chosen, choose] = useState(edition ?? "");
  if (!rules) return error ? html`<${Sorry} error=${error} />` : html`<p>${t("loading")}</p>`;
  const editions = editionsOf(rules);
  const options = editions.find((it) => it.id === chosen)?.options ?? null;
  return html`<article class="rules page">
    <nav class="games" aria-label=${t("rules.games")}>${ROOMS.map((it) => html`<a key=${it}
      href=${`#/rules/${it}`} aria-current=${it === name ? "page" : null}>${title(it)}</a>`)}</nav>
    <h1>${t("rules.of", { game: title(name) })}</h1>
    <p><label>${t(`rules.choose.${name}`)} <select value=${chosen} onChange=${(it) => choose(it.target.value)}>
      <option value="">${t("rules.all")}</option>
      ${editions.map(({ id }) => html`<option value=${id}>${editionName(id)}</option>`)}
    </select></label></p>
    <${Sections} rules=${rules} options=${options} level=${2} section=${section} />
  </article>`;
}

/** Show the rules with this game's options in a panel over the table. */
export function RulesBeside({ game, close, section = undefined }) {
  const dialog = useRef();
  const [rules, error] = useLoaded(() => cached(`/v1/rules/${game.rules}`), [game.rules]);
  useEffect(() => dialog.current.showModal(), []);
  return html`<dialog ref=${dialog} class="rules panel" aria-labelledby="rules-of" onClose=${close}
    onClick=${(event) => event.target === dialog.current && dialog.current.close()}>
    <div class="inside">
      <header><h2 id="rules-of">${t("rules.of", { game: gameName(game) })}</h2>
        <button class="plain" onClick=${() => dialog.current.close()}>${t("rules.close")}</button></header>
      ${error && html`<${Sorry} error=${error} />`}
      ${rules && html`<${Sections} rules=${rules} options=${game.options} level=${3} game=${game} section=${section} />`}
    </div>
  </dialog>`;
}

function Sections({ rules, options, level, section, game }) {
  const around = useRef();
  const [loaded, error] = useLoaded(() => illustrated(rules.name), [rules.name]);
  const go = (id, focuses = true) => {
    const heading = around.current.querySelector(`[data-section="${CSS.escape(id)}"] > .heading`);
    heading?.scrollIntoView();
    if (focuses) heading?.focus({ preventScroll: true });
  };
  useEffect(() => { if (loaded && section) go(section, false); }, [!!loaded, section]);
  if (!loaded) return error ? html`<${Sorry} error=${error} />` : html`<p>${t("loading")}</p>`;

  const editions = editionsOf(rules);
  const { drawn, examples } = loaded;
  const about = { rules, options, editions, examples };
  const figures = { ...drawn.figuresOf(about), agreed: () => html`<${Agreed} ...${about} />` };
  if (game) figures.terms = () => html`<${Terms} game=${game} />`;
  const values = { notation: rules.notation.examples[0].text, ...drawn.valuesOf(about) };
  const shown = [...text(`rules-${rules.name}`), ...text("rules.here")]
    .filter((it) => !options || holds(it.when, options));
  const jump = (event, id) => {
    event.preventDefault(); // keep the table's address
    if (!game) history.replaceState(null, "", `#/rules/${rules.name}/${id}`);
    go(id);
  };
  return html`<div class="text" data-game=${rules.name} ref=${around}>
    <nav class="contents" aria-label=${t("rules.contents")}><details open=${hasRoom && !game}>
      <summary>${t("rules.contents")}</summary>
      <ol>${shown.map((it) => html`<li key=${it.id}><a href=${`#/rules/${rules.name}/${it.id}`}
        onClick=${(event) => jump(event, it.id)}>${it.title}</a></li>`)}</ol>
    </details></nav>
    <div class="sections">
      ${shown.map((it) => html`<section key=${it.id} data-section=${it.id}>
        <${`h${level}`} class="heading" tabindex="-1">${it.title}${it.rule && html` <small>${it.rule}</small>`}<//>
        <${Text} blocks=${[{ when: it.when, text: it.text }]} options=${options} editions=${editions} values=${values}
          figures=${figures} />
      </section>`)}
    </div>
  </div>`;
}

/** Load the figures and examples of a game's rules, and the words and styles they need. */
async function illustrated(game) {
  const figures = import(addressOf(`${game}/rule-figures.js`));
  const words = [learn(`rules-${game}`), learn(game)];
  const [drawn, examples] = await Promise.all([figures, cached(addressOf(`${game}/examples.json`)), dress(game), ...words]);
  return { drawn, examples };
}

const hasRoom = matchMedia("(min-width: 62rem)").matches; // for the table of contents beside the text

/** List the options: this game's values, or all values with the editions that use them. */
function Agreed({ rules, options, editions }) {
  const valuesOf = (it) => it.enum ?? (it.type === "boolean" ? [true, false] : []);
  const asked = Object.entries(rules.options.properties).filter(([name, schema]) =>
    valuesOf(schema).length > 1 && name !== GAMES[rules.name].preset && !TOLD.includes(name));
  return html`<dl class="terms">${asked.map(([name, schema]) => html`<div key=${name}>
    <dt>${knows(`option.${name}`) ? t(`option.${name}`) : name}</dt>
    ${valuesOf(schema).filter((value) => !options || options[name] === value).map((value) => {
      const key = `option.${name}.${value}`;
      const found = editions.filter((it) => it.options[name] === value);
      return html`<dd key=${value}>${knows(key) ? t(key) : String(value)} ${!options && html`<${Whom} found=${found}
        all=${editions} />`}</dd>`;
    })}
  </div>`)}</dl>`;
}
