// Webhooks: their settings and recent deliveries.
import { html, useEffect, useState } from "../ui/html.js";
import { call } from "../ui/api.js";
import { absolute } from "../ui/times.js";
import { t } from "../ui/words.js";
import { Sorry, useFresh, useSubmit } from "../ui/parts.js";
import { CHAT_KINDS, WEBHOOK_KINDS } from "./notice-kinds.js";
import {
  called, day, Field, GameLink, Group, More, myGames, Said, say, Sure, ToCopy, useDraft, usePages, useSending,
} from "./parts.js";

const CHATS = {
  "discord.com": "discord", "discordapp.com": "discord", "ptb.discord.com": "discord", "canary.discord.com": "discord",
  "hooks.slack.com": "slack", "hooks.slack-gov.com": "slack",
};
const LOOK_AGAIN = 1_000; // milliseconds between polls of pending deliveries
const LOOKS = 20;

export function Webhooks() {
  const [found, error, again] = useFresh(() => call("GET", "/v1/webhooks"));
  const [games] = useFresh(myGames);
  const secret = useDraft("webhook secret", { shown: null });
  const draft = useDraft("webhook", { url: "", kinds: ["your-turn", "game-ended"], game: "" });
  const make = async (wanted) => {
    const made = await call("POST", "/v1/webhooks", wanted);
    secret.set("shown", { id: made.id, secret: made.secret });
    draft.clear();
    again();
  };
  return html`<section class="card">
      <h2>${t("settings.webhooks")}</h2>
      <p>${t("webhooks.why")} <a href="/docs">${t("foot.docs")}</a></p>
      ${error && html`<${Sorry} error=${error} />`}
      ${found?.items.length === 0 && html`<p>${t("webhooks.none")}</p>`}
      <${Said} where="webhooks" />
    </section>
    ${found?.items.map((hook) => html`<${Webhook} key=${hook.id} hook=${hook} games=${games ?? []} secret=${secret}
      again=${again} />`)}
    ${found && html`<section class="card"><h2>${t("webhooks.new")}</h2><${Form} id="webhook-new" draft=${draft}
      games=${games ?? []} send=${make} words=${t("webhooks.make")} /></section>`}`;
}

function Webhook({ hook, games, secret, again }) {
  const [isOpen, open] = useState(false);
  const [pings, setPings] = useState(0);
  const [isChanging, setChanging] = useState(false);
  const where = `webhook-${hook.id}`;
  const address = `/v1/webhooks/${hook.id}`;
  const draft = useDraft(where, { url: hook.url, kinds: hook.kinds, game: hook.game ?? "" });
  const ping = useSending([], async () => {
    await call("POST", `${address}/pings`);
    say(where, "webhooks.pinged");
    open(true);
    setPings((n) => n + 1);
  });
  const turn = useSending([], async () => {
    await call("PATCH", address, { enabled: !hook.enabled });
    say(where, hook.enabled ? "webhooks.paused" : "webhooks.enabled");
    again();
  });
  const renew = async () => {
    const made = await call("POST", `${address}/secret`);
    secret.set("shown", { id: hook.id, secret: made.secret, until: made.old_until });
  };
  const remove = async () => {
    await call("DELETE", address);
    say("webhooks", "webhooks.deleted");
    again();
  };
  const change = async (wanted) => {
    await call("PATCH", address, wanted);
    draft.clear();
    setChanging(false);
    say(where, "settings.saved");
    again();
  };
  const shown = secret.values.shown?.id === hook.id && secret.values.shown;
  return html`<section class="card webhook" aria-label=${hook.url}>
    <h3>${hook.url}</h3>
    <${State} hook=${hook} />
    <p>${hook.game ? html`<${GameLink} id=${hook.game} games=${games} />` : t("webhooks.all-games")}
      ${" · "}${hook.kinds.map((it) => called("kind", it)).join(", ")}</p>
    ${shown && html`<${Secret} shown=${shown} done=${secret.clear} />`}
    <div class="row">
      <button class="plain" disabled=${ping.busy || !hook.enabled} onClick=${ping.submit}>${t("webhooks.ping")}</button>
      <button class="plain" disabled=${turn.busy} onClick=${turn.submit}>${t(hook.enabled
        ? "webhooks.pause" : "webhooks.enable")}</button>
      <button class="plain" aria-expanded=${String(isChanging)} onClick=${() => setChanging(!isChanging)}>${t(
        "webhooks.change")}</button>
      <${Sure} words=${t("webhooks.renew")} question=${t("webhooks.renew.sure")} run=${renew} />
      <${Sure} words=${t("webhooks.delete")} question=${t("webhooks.delete.sure")} run=${remove} where="webhooks" />
    </div>
    <${Said} where=${where} />
    ${[ping, turn].map((it) => it.error && html`<${Sorry} error=${it.error} />`)}
    ${isChanging && html`<${Form} id=${where} draft=${draft} games=${games} send=${change} words=${t("settings.save")} />`}
    <details open=${isOpen} onToggle=${(event) => open(event.target.open)}><summary>${t("webhooks.deliveries")}</summary>
      ${isOpen && html`<${Deliveries} address=${address} pings=${pings} canTry=${hook.enabled} />`}
    </details>
  </section>`;
}

function State({ hook }) {
  const { enabled, disabled_because: why, failing_since: since } = hook;
  if (!enabled) return html`<p class=${why === "by-you" ? "faint" : "wrong"}>${called("webhooks.off", why)}</p>`;
  return since
    ? html`<p class="wrong">${t("webhooks.failing", { since: absolute(since) })}</p>`
    : html`<p class="faint">${t("webhooks.on", { day: day(hook.made_at) })}</p>`;
}

function Secret({ shown, done }) {
  return html`<div class="notice">
    <${ToCopy} id="secret" words=${t("webhooks.secret")} value=${shown.secret} takesFocus />
    <p>${t("webhooks.once")} ${shown.until && t("webhooks.old", { until: absolute(shown.until) })}</p>
    <p><button onClick=${done}>${t("settings.done")}</button></p>
  </div>`;
}

/** Edit a new or existing webhook. */
function Form({ id, draft, games, send, words }) {
  const { url, kinds, game } = draft.values;
  const form = chatAt(url) ?? "standard";
  const told = form === "standard" ? kinds : CHAT_KINDS;
  const sending = useSending(["url", "kinds", "game"], () => send({ url, form, kinds: told, game: game || null }));
  const isKnown = !game || games.some((it) => it.id === game);
  return html`<form ref=${sending.form} onSubmit=${sending.submit}>
    <${Field} id="${id}-url" words=${t("webhooks.url")} hint=${t("webhooks.url.hint")}
      wrong=${sending.wrong.url}>${(it) => html`<input ...${it} name="url" inputmode="url" required autocomplete="off"
        spellcheck=${false} placeholder="https://" ...${draft.input("url")} />`}<//>
    ${form === "standard" && html`<${Group} id="${id}-kinds" words=${t("webhooks.kinds")} wrong=${sending.wrong.kinds}>
      <div class="choices">${WEBHOOK_KINDS.map((kind) => html`<label class="check" key=${kind}><input type="checkbox"
        name=${kind} checked=${kinds.includes(kind)} onChange=${(event) => draft.set("kinds",
          WEBHOOK_KINDS.filter((it) => (it === kind ? event.target.checked : kinds.includes(it))))} />
        <span>${t(`kind.${kind}`)}</span></label>`)}</div>
    <//>`}
    <${Field} id="${id}-game" words=${t("webhooks.game")} wrong=${sending.wrong.game}>${(it) => html`<select ...${it}
      name="game" ...${draft.input("game")}>
      <option value="">${t("webhooks.all-games")}</option>
      ${!isKnown && html`<option value=${game}>${t("settings.some-game")}</option>`}
      ${games.map((one) => html`<option value=${one.id}>${one.title}</option>`)}
    </select>`}<//>
    <button disabled=${sending.busy}>${words}</button>
    ${sending.error && html`<${Sorry} error=${sending.error} />`}
  </form>`;
}

/** Return the chat service that an address belongs to, if any. */
function chatAt(url) {
  return URL.canParse(url) ? CHATS[new URL(url).hostname] : undefined;
}

/** List the latest deliveries, polling for a while if any is pending. */
function Deliveries({ address, pings, canTry }) {
  const pages = usePages(`${address}/deliveries?limit=10`, (it) => it.id);
  const [looks, setLooks] = useState(0);
  const isWaiting = pages.items?.some((it) => it.result === "waiting");
  const lookAgain = () => {
    setLooks(0);
    pages.again();
  };
  useEffect(() => { if (pings) lookAgain(); }, [pings]);
  useEffect(() => {
    if (!isWaiting || looks >= LOOKS) return;
    const timer = setTimeout(() => {
      setLooks(looks + 1);
      pages.again();
    }, LOOK_AGAIN);
    return () => clearTimeout(timer);
  }, [isWaiting, looks]);
  return html`
    ${pages.items?.length === 0 && html`<p>${t("webhooks.deliveries.none")}</p>`}
    <ul class="rows stacked">${pages.items?.map((it) => html`<${Delivery} key=${it.id} delivery=${it} address=${address}
      canTry=${canTry} again=${lookAgain} />`)}</ul>
    <div class="row"><${More} pages=${pages} />
      <button type="button" class="plain" onClick=${lookAgain}>${t("settings.look")}</button></div>`;
}

function Delivery({ delivery, address, canTry, again }) {
  const { id, kind, payload, result, tries, status, detail, made_at: made, next_at: next } = delivery;
  const retry = useSending([], async () => {
    await call("POST", `${address}/deliveries/${id}/tries`);
    again();
  });
  const hasFailed = result === "failed" || result === "given-up";
  return html`<li>
    <p><strong>${called("kind", kind)}</strong>${payload.data?.game && html` · <${GameLink} id=${payload.data.game} />`}</p>
    <p class="became ${result}">${called("delivery", result)}${status !== null && ` · ${t("webhooks.status", { status })}`}${
      tries > 0 && ` · ${t("letters.tries", { count: tries })}`}</p>
    <p class="faint"><time datetime=${made}>${absolute(made)}</time>${detail && ` · ${detail}`}${
      next && result === "failed" && ` · ${t("webhooks.next", { when: absolute(next) })}`}</p>
    ${hasFailed && canTry && html`<button type="button" class="plain" disabled=${retry.busy}
      onClick=${retry.submit}>${t("webhooks.retry")}</button>`}
    ${retry.error && html`<${Sorry} error=${retry.error} />`}
  </li>`;
}
