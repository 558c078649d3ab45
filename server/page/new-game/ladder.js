// The time-out policy: what happens when a player's time runs out, as a preset or custom steps.
import { html } from "../ui/html.js";
import { timeoutSteps } from "../ui/durations.js";
import { marked, Wrong } from "../ui/field-errors.js";
import { t } from "../ui/words.js";
import { Duration } from "./clock.js";
import { BOTS, LADDERS, ladderOf } from "./draft.js";

const MOST_STEPS = 9; // not counting the final one
const FRESH = {
  extend: { do: "extend", by: { number: "1", unit: "D" }, times: "1" },
  "bot-move": { do: "bot-move", bot: "greedy", times: "1" },
};

export function Ladder({ it, change, wrongs }) {
  return html`
    <label>${t("new-game.timeout")}
      <select name="timeouts" value=${it.ladder} ...${marked(wrongs, "on_timeout")}
        onChange=${(event) => change({ ladder: event.target.value })}>
        ${[...Object.keys(LADDERS), "own"].map((key) => html`<option
          value=${key}>${t(`new-game.timeout.${key}`)}</option>`)}
      </select>
      <${Wrong} wrongs=${wrongs} place="on_timeout" />
    </label>
    ${it.ladder === "own"
      ? html`<${Steps} it=${it} change=${change} />`
      : html`<p class="faint">${timeoutSteps(ladderOf(it)).map((step) => html`<span>${step}</span><br />`)}</p>`}`;
}

function Steps({ it, change }) {
  const put = (i, fields) => change({ rungs: it.rungs.map((rung, j) => (j === i ? { ...rung, ...fields } : rung)) });
  const last = (fields) => change({ last: { ...it.last, ...fields } });
  return html`<p class="faint">${t("new-game.step.about")}</p>
    <ol class="steps">
    ${it.rungs.map((rung, i) => html`<li key=${i} class="row">
      ${rung.do === "extend"
        ? html`<${Duration} name="step-${i}" label=${t("new-game.step.extend")} value=${rung.by}
          set=${(by) => put(i, { by })} />`
        : html`<${Bot} name="step-${i}" label=${t("new-game.step.bot-move")} value=${rung.bot}
          set=${(bot) => put(i, { bot })} />`}
      <label>${t(`new-game.step.times.${rung.do}`)} <input type="number" required min="1" max="100" name="times-${i}"
        value=${rung.times} onInput=${(event) => put(i, { times: event.target.value })} /></label>
      <button type="button" class="plain" aria-label=${t("new-game.step.remove", { number: i + 1 })}
        onClick=${() => change({ rungs: it.rungs.filter((_, j) => j !== i) })}>✕</button>
    </li>`)}
    <li class="row">
      <label>${t("new-game.step.last")}
        <select name="last" value=${it.last.do} onChange=${(event) => last({ do: event.target.value })}>
          ${["bot-takes-over", "abandon"].map((key) => html`<option value=${key}>${t(`new-game.step.${key}`)}</option>`)}
        </select></label>
      ${it.last.do === "bot-takes-over" && html`<${Bot} name="last-bot" label=${t("new-game.step.bot")}
        value=${it.last.bot} set=${(bot) => last({ bot })} />`}
    </li></ol>
    ${it.rungs.length < MOST_STEPS && html`<p class="row">${Object.entries(FRESH).map(([key, rung]) => html`<button
      type="button" class="plain" onClick=${() => change({ rungs: [...it.rungs, rung] })}>${t(
        `new-game.step.add.${key}`)}</button>`)}</p>`}`;
}

const Bot = ({ name, label, value, set }) => html`<label>${label}
  <select name=${name} value=${value} onChange=${(event) => set(event.target.value)}>
    ${BOTS.map((bot) => html`<option value=${bot}>${t(`new-game.bot.${bot}`)}</option>`)}
  </select></label>`;
