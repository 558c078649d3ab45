// Server-sent events over fetch, since EventSource cannot send a token.
import { headers, refusal } from "./api.js";
import { connection } from "./connection.js";
import { store } from "./store.js";
import { token } from "./token.js";
/** @import { Live } from "./types" */

const RETRY = 2_000; // milliseconds before reconnecting
const SILENCE = 25_000; // milliseconds before a connection counts as dead; the server sends a comment every 10 seconds

/**
 * Follow a stream until `stop` is called, and resume after the last event when the connection breaks.
 * `state` is "live", "away" or, once the stream is complete, "over". `tell` receives an event's data and its name,
 * if it has one.
 * @param {string} path
 * @param {(item: any, name?: string) => void} tell
 * @param {string | number} last
 */
export function follow(path, tell, last = "") {
  const state = store(/** @type {Live} */ ("away"));
  let stopped = false;
  let quits = /** @type {(event?: Event) => void} */ (() => {});

  async function run() {
    while (!stopped && state.get() !== "over") {
      await seen();
      if (!stopped) await listen();
      if (stopped || state.get() === "over") return;
      state.set("away");
      await new Promise((again) => {
        quits = again;
        setTimeout(again, RETRY);
        addEventListener("online", again);
      });
      removeEventListener("online", quits);
    }
  }

  const hides = () => document.hidden && quits();
  document.addEventListener("visibilitychange", hides);

  async function listen() {
    const abort = new AbortController();
    quits = () => abort.abort();
    let watch = setTimeout(quits, SILENCE);
    try {
      /** @type {Record<string, string>} */
      const resumed = last === "" ? {} : { "Last-Event-ID": String(last) };
      const asked = token();
      const request = { ...headers(), ...resumed, Accept: "text/event-stream" };
      const answer = await fetch(path, { headers: request, signal: abort.signal });
      if (answer.status === 204) return state.set("over");
      connection.held();
      if (!answer.ok) return await refusal(answer, asked);
      state.set("live");
      for await (const event of events(/** @type {ReadableStream} */ (answer.body), () => {
        clearTimeout(watch);
        watch = setTimeout(quits, SILENCE);
      })) {
        if (event.id !== undefined) last = event.id;
        if (event.data) tell(JSON.parse(event.data), event.event);
      }
    } catch {
      if (!stopped && !document.hidden) connection.lost();
    } finally {
      clearTimeout(watch);
      abort.abort();
    }
  }

  run();
  return {
    state,
    stop() {
      stopped = true;
      document.removeEventListener("visibilitychange", hides);
      quits();
    },
  };
}

/** Wait until the page is visible. Hidden pages close their streams, since browsers limit connections per server. */
const seen = () =>
  new Promise((/** @type {(seen?: any) => void} */ now) => {
    if (!document.hidden) return now();
    const look = () => {
      if (document.hidden) return;
      document.removeEventListener("visibilitychange", look);
      now();
    };
    document.addEventListener("visibilitychange", look);
  });

/**
 * Parse the events of a body (WHATWG HTML 9.2.5, limited to what our server sends: lines end with \n).
 * @param {ReadableStream} body
 * @param {() => void} onPiece
 */
async function* events(body, onPiece) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let kept = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    onPiece();
    kept += value;
    const whole = kept.split("\n\n");
    kept = whole.pop() ?? "";
    yield* whole.map(read);
  }
}

/** @param {string} text */
function read(text) {
  /** @type {{id?: string, event?: string, data?: string}} */
  const event = {};
  for (const row of text.split("\n")) {
    const [, field, value] = /^(\w+): ?(.*)$/.exec(row) ?? [];
    if (field) Object.assign(event, { [field]: value });
  }
  return event;
}
