// This browser's push subscription, and its registration with the server.
import { call } from "./api.js";

/** Return this browser's subscription, for any account, or null. */
export async function ownSubscription() {
  const worker = await navigator.serviceWorker?.getRegistration();
  return (await worker?.pushManager?.getSubscription()) ?? null;
}

/**
 * Return the server's record of the subscription for the current account. Throws like `call`.
 * @param {PushSubscription} own
 */
export async function knownSubscription(own) {
  const { items } = await call("GET", "/v1/push-subscriptions");
  return items.find((/** @type {{endpoint: string}} */ it) => it.endpoint === own.endpoint);
}

/**
 * Unsubscribe this browser. Throws like `call`.
 * @param {PushSubscription} own
 */
export async function unsubscribe(own) {
  try {
    const known = await knownSubscription(own);
    if (known) await call("DELETE", `/v1/push-subscriptions/${known.id}`);
  } finally {
    await own.unsubscribe(); // even if the server can't be reached: it drops dead subscriptions
  }
}
