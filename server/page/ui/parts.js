// Hooks and parts of which several screens are made.
import { html, useEffect, useState } from "./html.js";
import { isTransient, Problem } from "./api.js";
import { isOnline } from "./connection.js";
import { t } from "./words.js";

/** What went wrong, in the words of the server if it has any. */
export function Sorry({ error }) {
  if (!(error instanceof Problem)) return html`<p class="wrong" role="alert">${t("offline")}</p>`;
  return html`<p class="wrong" role="alert"><strong>${error.title}.</strong> ${error.detail}</p>`;
}

export const RETRY = 4_000; // milliseconds until something is asked again that may well be answered then

/** What `load` answers, asked anew when `asked` changes or it may be answered by now: `[value, error, again]`. */
export function useLoaded(load, asked) {
  const [state, set] = useState([null, null]);
  const [round, again] = useState(0);
  useEffect(() => {
    let isWanted = true;
    let timer = null;
    load().then(
      (value) => isWanted && set([value, null]),
      (error) => {
        if (!isWanted) return;
        set(([value]) => [value, error]);
        if (isTransient(error)) timer = setTimeout(() => again((n) => n + 1), RETRY);
      },
    );
    return () => {
      isWanted = false;
      clearTimeout(timer);
    };
  }, [...asked, round]);
  useEffect(() => isOnline.watch((online) => online && again((n) => n + 1)), []);
  return [...state, () => again((n) => n + 1)];
}

/** As `useLoaded`, and again whenever somebody comes back to this window: another one may have changed something. */
export function useFresh(load, asked = []) {
  const [value, error, again] = useLoaded(load, asked);
  useReturn(again);
  return [value, error, again];
}

/** Calls this whenever somebody comes back to this window. */
export function useReturn(again) {
  useEffect(() => {
    const look = () => document.hidden || again();
    addEventListener("focus", look);
    document.addEventListener("visibilitychange", look);
    return () => {
      removeEventListener("focus", look);
      document.removeEventListener("visibilitychange", look);
    };
  }, []);
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
