// The connection: whether the service can be reached, as far as the last request could tell, and what time it is there.
import { store } from "./store.js";

export const isOnline = store(navigator.onLine);

let ahead = 0; // milliseconds; the clock of a browser may be wrong, and that of a sandbox put forward

/** The time by the clock of the service, in milliseconds. */
export const now = () => Date.now() + ahead;

export const connection = {
  lost: () => isOnline.set(false),
  held(/** @type {Response | undefined} */ answer = undefined) {
    const date = Date.parse(answer?.headers.get("Sandbox-Clock") ?? answer?.headers.get("Date") ?? "");
    if (date) ahead = date - Date.now();
    isOnline.set(true);
  },
};

addEventListener("offline", () => connection.lost());
addEventListener("online", () => connection.held());
