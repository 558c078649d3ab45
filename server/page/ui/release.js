// Registration of the service worker, and the check for a newer release.
import { isOutdated } from "./connection.js";

const EVERY = 3_600_000; // milliseconds between checks
const PATIENCE = 5_000; // milliseconds for the new worker to take over

const workers = navigator.serviceWorker;

/** Return the worker's address, wrapped for Trusted Types. */
const address = () => {
  const { trustedTypes } = /** @type {any} */ (window);
  const policy = trustedTypes?.createPolicy("service-worker", { createScriptURL: (/** @type {string} */ it) => it });
  return policy?.createScriptURL("/service-worker.js") ?? "/service-worker.js";
};

/** Register the service worker, which caches the page, and watch for a newer one. */
export async function keepShell() {
  if (!workers) return; // needs HTTPS
  const registration = await workers.register(address()).catch(() => null);
  if (!registration) return;
  const tell = () => isOutdated.set(!!registration.waiting && !!workers.controller);
  const watch = () => registration.installing?.addEventListener("statechange", tell);
  tell();
  watch(); // one may be installing already
  registration.addEventListener("updatefound", watch);
  const look = () => document.hidden || registration.update().catch(() => {});
  document.addEventListener("visibilitychange", look);
  setInterval(look, EVERY);
}

/** Let the new worker take over, and reload the page. */
export async function renew() {
  const registration = await workers.getRegistration();
  const reload = () => location.reload();
  if (!registration?.waiting) return reload(); // it has already taken over
  workers.addEventListener("controllerchange", reload);
  registration.waiting.postMessage("take over");
  setTimeout(reload, PATIENCE); // pending requests of this page can keep the old worker active for minutes
}
