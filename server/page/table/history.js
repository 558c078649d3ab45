// The table as it was at an earlier version, chosen by a slider.
import { html, useEffect, useState } from "../html.js";
import { call } from "../api.js";
import { t } from "../words.js";

/** The view of `at`, or null while it is not here or `at` is now. */
export function useEarlier(table, at) {
  const [seen, set] = useState({});
  useEffect(() => {
    if (at === null || seen[at]) return;
    const keep = (it) => set((seen) => ({ ...seen, [at]: it.view }));
    call("GET", `${table.base}?at=${at}&${table.word}`).then(keep, () => {});
  }, [at]);
  return at === null ? null : (seen[at] ?? null);
}

export function History({ version, at, set }) {
  const shown = at ?? version;
  const show = (wanted) => set(wanted >= version ? null : Math.max(1, wanted));
  return html`<div class="history row" role="group" aria-label=${t("history")}>
    <button class="plain" disabled=${shown <= 1} aria-label=${t("history.back")}
      onClick=${() => show(shown - 1)}>◀</button>
    <input type="range" min="1" max=${version} value=${shown} aria-label=${t("history")}
      aria-valuetext=${t("history.at", { at: shown, version })}
        onInput=${(event) => show(Number(event.target.value))} />
    <button class="plain" disabled=${at === null} aria-label=${t("history.on")}
      onClick=${() => show(shown + 1)}>▶</button>
    <span class="faint">${t("history.at", { at: shown, version })}</span>
    ${at !== null && html`<button onClick=${() => set(null)}>${t("history.now")}</button>`}
  </div>`;
}
