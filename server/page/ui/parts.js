// Hooks and components shared by several screens.
import { html, useEffect, useState } from "./html.js";
import { isTransient, Problem } from "./api.js";
import { isOnline } from "./connection.js";
import { useStore } from "./store.js";
import { t } from "./words.js";

/**
 * Show an error, in the server's words if there are any. A detail stands without its title, which it usually repeats.
 * @param {{error: unknown}} props
 */
export function Sorry({ error }) {
  if (!(error instanceof Problem)) return html`<p class="wrong" role="alert">${t("offline")}</p>`;
  const isVague = !error.detail || error.code === "internal-error";
  return html`<p class="wrong" role="alert">${isVague && html`<strong>${error.title}.</strong> `}${error.detail}</p>`;
}

export const RETRY = 4_000; // milliseconds before a failed request is retried

/**
 * Return the error unless it only says that we are offline, which the page's banner already shows.
 * @param {unknown} error
 */
export function useUntold(error) {
  const online = useStore(isOnline);
  return online || error instanceof Problem ? error : null;
}

/**
 * Return the result of `load`, starting with `known`. It is loaded again when `asked` changes, after transient errors
 * and when the connection is back.
 * @template T
 * @param {() => Promise<T>} load
 * @param {unknown[]} asked
 * @param {T | null} [known]
 * @returns {[value: T | null, error: unknown, again: () => void]}
 */
export function useLoaded(load, asked, known = null) {
  const [[value, error], set] = useState(/** @type {[T | null, unknown]} */ ([known, null]));
  const [round, again] = useState(0);
  useEffect(() => {
    let isWanted = true;
    /** @type {number | undefined} */
    let timer;
    load().then(
      (value) => isWanted && set((it) => (value === known && it[0] === value && !it[1] ? it : [value, null])),
      (error) => {
        if (!isWanted) return;
        set(([value]) => [value, error]);
        if (isTransient(error)) timer = setTimeout(() => again((n) => n + 1), Math.max(RETRY, error.wait ?? 0));
      },
    );
    return () => {
      isWanted = false;
      clearTimeout(timer);
    };
  }, [...asked, round]);
  useEffect(() => isOnline.watch((online) => online && again((n) => n + 1)), []);
  return [value, useUntold(error), () => again((n) => n + 1)];
}

/**
 * Like `useLoaded`, and reload when the user returns to this window, since another one may have changed the data.
 * @template T
 * @param {() => Promise<T>} load
 * @param {unknown[]} asked
 * @returns {[value: T | null, error: unknown, again: () => void]}
 */
export function useFresh(load, asked = []) {
  const [value, error, again] = useLoaded(load, asked);
  useReturn(again);
  return [value, error, again];
}

/**
 * Call `again` whenever the user returns to this window.
 * @param {() => unknown} again
 */
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

/**
 * Submit a form with `run`.
 * @param {() => Promise<unknown>} run
 * @returns {[busy: boolean, error: unknown, submit: (event?: Event) => Promise<void>]}
 */
export function useSubmit(run) {
  const [[busy, error], set] = useState(/** @type {[boolean, unknown]} */ ([false, null]));
  const submit = async (/** @type {Event | undefined} */ event = undefined) => {
    event?.preventDefault();
    set([true, null]);
    try {
      await run();
      set([false, null]);
    } catch (error) {
      set([false, error]);
    }
  };
  return [busy, error, submit];
}
