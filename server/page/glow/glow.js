// The table of Sternenglanz: the server's picture, and a turn put together step by step.
import { html, useEffect, useState } from "../html.js";
import { call, picture } from "../api.js";
import { knows, locale, t } from "../words.js";
import { isStale } from "../table/game.js";
import { Sorry } from "../screens/parts.js";

const MANY = 24; // steps in a list, above which a field to search it is worth its place

export function Glow({ table, rules, at }) {
  const { game, legal } = table;
  return html`<div class="glow">
    <${Picture} table=${table} at=${at} />
    ${at === null && legal?.turn != null && html`<${Turn} key=${legal.turn} table=${table} rules=${rules} />`}
    ${game.you && (at !== null || legal?.turn == null) && html`<p class="ask"
      role="status">${t(at === null ? "ask.wait" : "ask.past")}</p>`}
  </div>`;
}

/** An <img> of a blob, so that nothing in the picture can act. */
function Picture({ table, at }) {
  const [address, set] = useState(null);
  const { game, base, word } = table;
  const theme = matchMedia("(prefers-color-scheme: light)").matches ? "light" : "dark";
  useEffect(() => {
    let made = null;
    let isWanted = true;
    picture(`${base}/picture.svg?theme=${theme}${at === null ? "" : `&at=${at}`}&${word}`).then((it) => {
      if (!isWanted) return URL.revokeObjectURL(it);
      made = it;
      set(it);
    }, () => {});
    return () => {
      isWanted = false;
      if (made) URL.revokeObjectURL(made);
    };
  }, [game.version, at]);
  return address && html`<img class="picture" src=${address} alt=${t("picture", { title: game.title })} />`;
}

function Turn({ table, rules }) {
  const stepName = (move) => move.steps.map((it) => nameOf(it, rules.cards)).join("; ");
  const { turn, moves } = table.legal;
  const [begun, setBegun] = useState([]);
  const [next, setNext] = useState(moves);
  const [wanted, setWanted] = useState("");
  const [foresight, setForesight] = useState(null);
  const [error, setError] = useState(null);
  const [sending, setSending] = useState(null);

  async function build(steps) {
    setError(null);
    setForesight(null);
    setWanted("");
    try {
      const answer = steps.length ? await call("POST", `${table.base}/legal-moves`, { begun: steps }) : { moves };
      if (steps.length) setForesight(await table.foresee(turn, joined(steps)));
      setBegun(steps);
      setNext(answer.moves);
    } catch (wrong) {
      setError(wrong);
    }
  }

  async function send() {
    setSending("sent");
    try {
      await table.play(turn, joined(begun), () => setSending("unanswered"));
    } catch (wrong) {
      setError(wrong);
      if (isStale(wrong)) build([]);
    }
    setSending(null);
  }

  const shown = next.filter((it) => stepName(it).toLowerCase().includes(wanted.toLowerCase()));
  return html`<section class="card turn" aria-label=${t("turn")}>
    <h2>${t("turn")}</h2>
    <p role="status">${sending ? t(`sending.${sending}`) : begun.length ? t("turn.begun") : t("turn.choose")}</p>
    ${begun.length > 0 && html`<ol>${begun.map((it, i) => html`<li key=${i}>${stepName(it)}</li>`)}</ol>`}
    ${foresight?.would_reveal && html`<p>${t("turn.would-reveal")}</p>`}
    ${error && html`<${Sorry} error=${error} />`}
    <p class="row">
      <button disabled=${!begun.length || !!sending} onClick=${send}>${t("turn.send")}</button>
      <button class="plain" disabled=${!begun.length || !!sending}
        onClick=${() => build(begun.slice(0, -1))}>${t("turn.undo")}</button>
    </p>
    ${next.length > MANY && html`<label>${t("turn.search")} <input value=${wanted}
      onInput=${(event) => setWanted(event.target.value)} /></label>`}
    <div class="steps" role="group" aria-label=${t("turn.steps")}>
      ${shown.map((it) => html`<button key=${stepName(it)} class="plain" disabled=${!!sending}
        onClick=${() => build([...begun, it])}>${stepName(it)}</button>`)}
    </div>
  </section>`;
}

const joined = (moves) => ({ steps: moves.flatMap((it) => it.steps) });

/** A step in words: the slot, what is done, with what, and where. */
function nameOf({ cmd, slot, do: deed, path, field, ...rest }, cards) {
  const key = `step.${deed ?? cmd}`;
  const what = knows(key) ? t(key) : (deed ?? cmd);
  const laid = [rest.slot2, rest.slot3, rest.slot1].filter(Boolean).map((copy) => cardName(copy, cards));
  const pieces = [rest.class && cards.classes[rest.class][locale()], rest.dropNova && t("step.drop"), laid.join(", ")];
  return [slot && `${slot}:`, what, ...pieces, path?.join(" → ") ?? field].filter(Boolean).join(" ");
}

/** `geburt#3` by its name; the copy is told, too, since the picture shows it. */
function cardName(copy, cards) {
  const action = cards.actions.find((it) => it.id === copy.split("#")[0]);
  return action ? `${action.names[locale()]} (${copy})` : copy;
}
