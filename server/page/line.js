// Whether the service can be reached, as far as the last request could tell.
import { store } from "./store.js";

export const isOnline = store(navigator.onLine);

export const line = { lost: () => isOnline.set(false), held: () => isOnline.set(true) };

addEventListener("offline", line.lost);
addEventListener("online", line.held);
