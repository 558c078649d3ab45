// Push notifications in this browser: on or off, and for which events.
import { html, useEffect, useState } from "../ui/html.js";
import { call } from "../ui/api.js";
import { Sorry, useSubmit } from "../ui/parts.js";
import { knownSubscription, ownSubscription, unsubscribe } from "../ui/push-subscription.js";
import { useStore } from "../ui/store.js";
import { me } from "../ui/token.js";
import { t } from "../ui/words.js";
import { PUSHED } from "./notice-kinds.js";
import { changeWithin } from "./parts.js";
/** @import { Profile } from "../ui/types" */

const isPossible = "serviceWorker" in navigator && "PushManager" in window && "Notification" in window;

const browser = async () => (await navigator.serviceWorker.ready).pushManager;

export function Push() {
  const { notifications } = /** @type {Profile} */ (useStore(me));
  const [own, set] = useState(/** @type {PushSubscription | null} */ (null));
  const [isRefused, refuse] = useState(false);
  useEffect(() => void (isPossible && told().then(set, () => {})), []);
  const [busy, error, turn] = useSubmit(async () => {
    if (own) {
      await unsubscribe(own);
      return set(null);
    }
    const isAllowed = (await Notification.requestPermission()) === "granted";
    refuse(!isAllowed);
    if (isAllowed) set(await subscribed());
  });
  const change = async (/** @type {string} */ kind, /** @type {boolean} */ wants) => {
    await changeWithin("notifications", (/** @type {Profile["notifications"]} */ now) => (
      { ...now, push: { ...now.push, [kind]: wants ? "at-once" : "off" } }));
  };
  const chosen = notifications.push ?? {};
  return html`<section class="card">
    <h2>${t("push")}</h2>
    <p>${t(isPossible ? "push.why" : "push.impossible")}</p>
    ${isPossible && html`<p><button class=${own ? "plain" : ""} disabled=${busy} aria-pressed=${String(!!own)}
      onClick=${turn}>${t(own ? "push.off" : "push.on")}</button></p>`}
    ${isRefused && html`<p class="wrong" role="alert">${t("push.refused")}</p>`}
    ${error && html`<${Sorry} error=${error} />`}
    ${own && html`<fieldset><legend>${t("push.kinds")}</legend>${PUSHED.map((kind) => html`<label class="check"
      key=${kind}><input type="checkbox" name="push-${kind}" checked=${chosen[kind] !== "off"}
        onChange=${(/** @type {{target: HTMLInputElement}} */ { target }) => change(kind, target.checked)} />
      ${t(`kind.${kind}`)}</label>`)}</fieldset>`}
  </section>`;
}

/** Return this browser's subscription if it belongs to the current account, not to an earlier one. */
async function told() {
  const own = await ownSubscription();
  return own && (await knownSubscription(own)) ? own : null;
}

async function subscribed() {
  const { key } = await call("GET", "/v1/push-subscriptions");
  const made = await (await browser()).subscribe({ userVisibleOnly: true, applicationServerKey: key });
  const { endpoint, keys } = made.toJSON();
  await call("POST", "/v1/push-subscriptions", { endpoint, keys });
  return made;
}
