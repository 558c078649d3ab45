// The push subscription of this browser, and what the server knows of it.
import { call } from "./api.js";

/** What this browser has, whoever is told by it; null if nobody is. */
export async function ownSubscription() {
  const worker = await navigator.serviceWorker?.getRegistration();
  return (await worker?.pushManager?.getSubscription()) ?? null;
}

/**
 * As the server knows it for whoever is signed in. Throws as `call`.
 * @param {PushSubscription} own
 */
export async function knownSubscription(own) {
  const { items } = await call("GET", "/v1/push-subscriptions");
  return items.find((/** @type {{endpoint: string}} */ it) => it.endpoint === own.endpoint);
}

/**
 * This browser is told no more. Throws as `call`.
 * @param {PushSubscription} own
 */
export async function unsubscribe(own) {
  try {
    const known = await knownSubscription(own);
    if (known) await call("DELETE", `/v1/push-subscriptions/${known.id}`);
  } finally {
    await own.unsubscribe(); // even if the server cannot be asked: it forgets a browser that is gone
  }
}
