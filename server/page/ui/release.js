// The service worker of this release, and whether there is a newer one by now.
import { store } from "./store.js";

const EVERY = 3_600_000; // milliseconds until it is asked whether there is a newer one
const PATIENCE = 5_000; // milliseconds for the newer one to take over

export const isOutdated = store(false);

const workers = navigator.serviceWorker;

/** Trusted types want to know that nobody made this address up. */
const address = () => {
  const { trustedTypes } = /** @type {any} */ (window);
  const policy = trustedTypes?.createPolicy("service-worker", { createScriptURL: (/** @type {string} */ it) => it });
  return policy?.createScriptURL("/service-worker.js") ?? "/service-worker.js";
};

/** From here on this device keeps the page. */
export async function keepShell() {
  if (!workers) return; // not for whoever comes by plain HTTP
  const registration = await workers.register(address()).catch(() => null);
  if (!registration) return;
  const tell = () => isOutdated.set(!!registration.waiting && !!workers.controller);
  const watch = () => registration.installing?.addEventListener("statechange", tell);
  tell();
  watch(); // one may be coming already
  registration.addEventListener("updatefound", watch);
  const look = () => document.hidden || registration.update().catch(() => {});
  document.addEventListener("visibilitychange", look);
  setInterval(look, EVERY);
}

/** The newer one takes over, and this page begins anew with it. */
export async function renew() {
  const registration = await workers.getRegistration();
  const reload = () => location.reload();
  if (!registration?.waiting) return reload(); // it has taken over meanwhile
  workers.addEventListener("controllerchange", reload);
  registration.waiting.postMessage("take over");
  setTimeout(reload, PATIENCE); // which ends what this page has under way: for minutes it may keep the older one at work
}
