// The server: whether the last request reached it, its clock, and whether it has a newer page.
import { store } from "./store.js";

export const isOnline = store(navigator.onLine);

export const isOutdated = store(false);

let ahead = 0; // milliseconds; the device's clock may be wrong, and a sandbox's clock may be moved forward

/** Return the time on the server's clock, in milliseconds. */
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
