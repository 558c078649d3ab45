// Explains the scoring of a constellation step by step, in a panel over the table.
import { html, useEffect, useRef, useState } from "../../ui/html.js";
import { t } from "../../ui/words.js";
import { boardName, boardOf } from "../story.js";
import { Constellation } from "./constellation.js";
import { stepsOf, told } from "./steps.js";
import { Sums } from "./sums.js";
/** @import { BoardScored, Rules, StepKind } from "../types" */

const BEFORE = 700; // milliseconds before the stars are revealed
/** @type {Partial<Record<StepKind, number>>} */
const LEAST = { reveal: 2600, vanish: 3400, swallow: 3600, double: 3600, worth: 3600, totals: 4000 }; // milliseconds
const READING = 55; // milliseconds per character

/**
 * Show a `board-scored` event. After the last step, `next` continues with the next scoring, if there is one.
 * With reduced motion, the player advances the steps.
 * @param {{item: BoardScored, names: string[], rules: Rules, close: (isSeen: boolean) => void, next?: false | (() => void)}} props
 */
export function Scoring({ item, names, rules, close, next = false }) {
  const dialog = useRef();
  const begin = useRef();
  const isStill = useRef(matchMedia("(prefers-reduced-motion: reduce)").matches).current;
  const first = isStill ? 0 : -1;
  const [at, setAt] = useState(first);
  const [plays, setPlays] = useState(!isStill);
  const board = boardOf(item.board, rules);
  const title = boardName(item.board, rules);
  const steps = stepsOf(item, board, rules);
  const last = steps.length - 1;
  const captions = steps.map((it) => [t(`scoring.step.${it.kind}`), ...told(it, item, names)]);
  const said = captions[at] ?? [];
  const reached = steps.slice(0, at + 1).map((it) => it.kind);

  useEffect(() => {
    dialog.current.showModal();
    begin.current.focus();
  }, []);
  useEffect(() => { // the reveal always runs, later steps only while playing
    if (at >= 0 && (!plays || at === last)) return setPlays(false);
    const pause = at < 0 ? BEFORE : Math.max(LEAST[steps[at].kind] ?? 0, 1200 + READING * said.join(" ").length);
    const timer = setTimeout(() => setAt(at + 1), pause);
    return () => clearTimeout(timer);
  }, [at, plays]);

  const go = (/** @type {number} */ to) => {
    setPlays(false);
    setAt(Math.min(Math.max(to, 0), last));
  };
  const on = () => (at === last && next ? next() : go(at + 1));
  const again = () => {
    setPlays(!isStill);
    setAt(first);
  };
  const toggle = () => (at === last ? again() : setPlays(!plays));
  /** @type {Record<string, () => void>} */
  const keys = { ArrowRight: on, ArrowLeft: () => go(at - 1), Home: () => go(0), End: () => go(last) };
  const press = (/** @type {KeyboardEvent & {target: Element}} */ event) => {
    const isHeld = event.altKey || event.ctrlKey || event.metaKey;
    const isFree = event.key === " " && event.target.tagName !== "BUTTON"; // Space presses a button
    const does = isFree ? (isStill ? keys.ArrowRight : toggle) : keys[event.key];
    if (!does || isHeld) return;
    event.preventDefault();
    does();
  };
  return html`<dialog ref=${dialog} class="scoring" aria-labelledby="scoring-of" onClose=${() => close(at === last && !next)} onKeyDown=${press}
    onClick=${(/** @type {Event} */ event) => event.target === dialog.current && dialog.current.close()}>
    <div class="inside">
      <header><h2 id="scoring-of">${t("scoring.of", { board: title })}</h2>
        <button class="plain" onClick=${() => dialog.current.close()}>${t("scoring.close")}</button></header>
      <${Constellation} item=${item} board=${board} title=${title} names=${names} steps=${steps} reached=${reached} />
      <div class="telling">
        <ol class="beats" aria-label=${t("scoring.steps")}>${steps.map(({ kind }, i) => html`<li key=${kind}><button
          aria-current=${i === at ? "step" : null} class=${i <= at ? "been" : ""} onClick=${() => go(i)}
          title=${t(`scoring.step.${kind}`)}><span class="unseen">${t(`scoring.step.${kind}`)}</span></button></li>`)}
        </ol>
        <div class="captions">
          ${captions.map((it, i) => html`<div key=${i} class="spare"><${Caption} said=${it} /></div>`)}
          <div class="caption" aria-live="polite" data-step=${steps[at]?.kind}><${Caption} said=${said} /></div>
        </div>
        <${Sums} item=${item} board=${board} names=${names} reached=${reached} isStill=${isStill} />
      </div>
      <div class="controls" role="group" aria-label=${t("scoring.controls")}>
        <button class="plain" onClick=${again}><${Icon} d="M5 5v14M19 5L8 12l11 7z" /><span>${
          t("scoring.again")}</span></button>
        <button class="plain" aria-disabled=${at <= 0} onClick=${() => go(at - 1)}><${Icon} d="M17 5L7 12l10 7z" />${
          t("scoring.back")}</button>
        ${!isStill && html`<button ref=${begin} onClick=${toggle}><${Icon} d=${plays ? "M8 5v14M16 5v14"
          : "M7 5l11 7-11 7z"} />${t(plays ? "scoring.pause" : "scoring.play")}</button>`}
        <button class=${isStill ? "" : "plain"} ref=${isStill ? begin : null} aria-disabled=${at === last && !next}
          onClick=${on}>${t("scoring.on")}<${Icon} d="M7 5l10 7-10 7z" /></button>
      </div>
    </div>
  </dialog>`;
}

/** @param {{said: string[]}} props */
const Caption = ({ said: [step, ...said] }) => html`${step && html`<h3>${step}</h3>`}${
  said.map((it, i) => html`<p key=${i}>${it}</p>`)}`;

/** @param {{d: string}} props */
const Icon = ({ d }) => html`<svg class="icon" viewBox="0 0 24 24" width="18" height="18" aria-hidden="true"><path
  d=${d} /></svg>`;
