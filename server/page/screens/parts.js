// What several screens are made of.
import { html, useEffect, useState } from "../html.js";
import { Problem } from "../api.js";
import { isOnline } from "../line.js";
import { t } from "../words.js";

/** What went wrong, in the words of the server if it has any. */
export function Sorry({ error }) {
  if (!(error instanceof Problem)) return html`<p class="wrong" role="alert">${t("offline")}</p>`;
  return html`<p class="wrong" role="alert"><strong>${error.title}.</strong> ${error.detail}</p>`;
}

/** What `load` answers, asked anew when `asked` changes or the line is back: `[value, error, again]`. */
export function useLoaded(load, asked) {
  const [state, set] = useState([null, null]);
  const [round, again] = useState(0);
  useEffect(() => {
    let isWanted = true;
    load().then(
      (value) => isWanted && set([value, null]),
      (error) => isWanted && set(([value]) => [value, error]),
    );
    return () => (isWanted = false);
  }, [...asked, round]);
  useEffect(() => isOnline.watch((online) => online && again((n) => n + 1)), []);
  return [...state, () => again((n) => n + 1)];
}

/** `run` while a form waits for it: `[busy, error, submit]`. */
export function useSubmit(run) {
  const [state, set] = useState([false, null]);
  const submit = async (event) => {
    event?.preventDefault();
    set([true, null]);
    try {
      await run();
      set([false, null]);
    } catch (error) {
      set([false, error]);
    }
  };
  return [...state, submit];
}

/** A component whose module comes only when it is shown: most first looks do without it. */
export const later = (load, name) =>
  function Later(props) {
    const [module, error] = useLoaded(load, []);
    if (!module) return error ? html`<${Sorry} error=${error} />` : html`<p>${t("loading")}</p>`;
    return html`<${module[name]} ...${props} />`;
  };
