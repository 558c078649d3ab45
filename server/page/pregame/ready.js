// The ready check before the start: each player confirms, and reveals their committed salt.
import { html, useState } from "../ui/html.js";
import { call } from "../ui/api.js";
import { Due, seatName } from "../ui/game-words.js";
import { Sorry, useSubmit } from "../ui/parts.js";
import { mySeat } from "../ui/waiting-for-me.js";
import { t } from "../ui/words.js";
import { kept } from "./salt.js";
/** @import { Input, SeenTable } from "../ui/types" */

/** @param {{table: SeenTable}} props */
export function Ready({ table }) {
  const { game } = table;
  const mine = mySeat(game);
  const asked = game.seats.filter((it) => it.ready !== null);
  return html`<section class="ready" aria-labelledby="ready">
    <h3 id="ready">${t("ready.asked")}</h3>
    <ul>${asked.map((it) => html`<li key=${it.seat}>${t("colon", { what: seatName(it) })} ${it.ready
      ? t("ready.yes") : html`${t("ready.not-yet")}${it.due_at && html` · <${Due} at=${it.due_at} />`}`}</li>`)}</ul>
    ${mine && !mine.ready && html`<${Say} table=${table} hasSalt=${!!mine.salt_hash} />`}
    ${mine?.ready && html`<p role="status">${t("ready.said")}</p>`}
    ${game.hosting && html`<${Begin} table=${table} />`}
  </section>`;
}

/** @param {{table: SeenTable, hasSalt: boolean}} props */
function Say({ table, hasSalt }) {
  const [salt, setSalt] = useState(kept(table.game.id));
  const [busy, error, say] = useSubmit(async () => {
    await call("POST", `${table.base}/ready`, hasSalt && salt ? { salt } : {});
    await table.look();
  });
  return html`<form onSubmit=${say}>
    ${hasSalt && html`<label>${t("ready.salt")} <input name="salt" maxlength="200" autocomplete="off" spellcheck="false"
      value=${salt} onInput=${(/** @type {Input} */ event) => setSalt(event.target.value)} /></label>`}
    <button disabled=${busy}>${t("ready.say")}</button>
    ${error && html`<${Sorry} error=${error} />`}
  </form>`;
}

/** @param {{table: SeenTable}} props */
function Begin({ table }) {
  const [busy, error, begin] = useSubmit(async () => {
    await call("PATCH", table.base, { begin: true });
    await table.look();
  });
  return html`<p><button type="button" class="plain" disabled=${busy} onClick=${begin}>${t("ready.begin")}</button>
    ${error && html`<${Sorry} error=${error} />`}</p>`;
}
