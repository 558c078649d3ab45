// The history of a table: a slider that shows earlier versions.
import { html, useRef } from "../ui/html.js";
import { call, Problem } from "../ui/api.js";
import { t } from "../ui/words.js";
import { useLoaded } from "../ui/parts.js";
/** @import { Input, Table, View } from "../ui/types" */

const PAUSE = 120; // milliseconds to debounce the slider

/**
 * Load the view at version `at`. `earlier` is null for the current version, and the previous view while loading
 * (`isComing`). `refused` is the server's refusal.
 * @param {Table} table
 * @param {number | null} at
 */
export function useEarlier(table, at) {
  const seen = useRef(/** @type {Record<number, View>} */ ({}));
  const shown = useRef(/** @type {View | null} */ (null));
  const wanted = useRef();
  wanted.current = at;
  const look = async () => {
    if (at === null || seen.current[at]) return;
    await new Promise((done) => setTimeout(done, PAUSE));
    if (wanted.current === at) seen.current[at] = (await call("GET", `${table.base}?at=${at}&${table.word}`)).view;
  };
  const [, error] = useLoaded(look, [at]);
  const refused = at !== null && error instanceof Problem ? error : null;
  shown.current = at === null ? null : (seen.current[at] ?? shown.current);
  return { earlier: shown.current, isComing: at !== null && !seen.current[at] && !refused, refused };
}

/**
 * @param {{version: number, at: number | null, place: string, show: (version: number) => void, isComing: boolean,
 *   isNear: boolean, replay: () => void}} props
 */
export function History({ version, at, place, show, isComing, isNear, replay }) {
  const shown = at ?? version;
  return html`<div class=${`history row ${isNear ? "near" : ""}`} role="group" aria-label=${t("history")}>
    <button class="plain" aria-disabled=${shown <= 1} aria-label=${t("history.back")}
      onClick=${() => show(shown - 1)}>◀</button>
    <input type="range" min="1" max=${version} value=${shown} aria-label=${t("history")}
      aria-valuetext=${place}
      onInput=${(/** @type {Input} */ event) => show(Number(event.target.value))} />
    <button class="plain" aria-disabled=${at === null} aria-label=${t("history.on")}
      onClick=${() => show(shown + 1)}>▶</button>
    <button class="plain" disabled=${version < 2} onClick=${replay}>${t("history.replay")}</button>
    <span class="faint">${place}</span>
    <span role="status">${isComing ? t("loading") : ""}</span>
    ${at !== null && html`<button onClick=${() => show(version)}>${t("history.now")}</button>`}
  </div>`;
}
