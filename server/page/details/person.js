// Whom one sits with: how somebody plays, and what to do about him.
import { html, useRef, useState } from "../ui/html.js";
import { call } from "../ui/api.js";
import { absolute, length } from "../ui/times.js";
import { useLoaded, useSubmit, Sorry } from "../ui/parts.js";
import { useStore } from "../ui/store.js";
import { link, me } from "../ui/token.js";
import { t } from "../ui/words.js";
/** @import { Blocks, TrackRecord } from "../ui/types" */

/** @param {{id: string, game: string}} props */
export function Person({ id, game }) {
  const player = useStore(me);
  const [record, error] = useLoaded(() => /** @type {Promise<TrackRecord>} */ (call("GET", `/v1/players/${id}`)), [id]);
  if (error) return html`<${Sorry} error=${error} />`;
  if (!record) return html`<p>${t("loading")}</p>`;
  return html`<div class="person">
    ${record.program && html`<p>${t("person.program")}</p>`}
    <p>${record.new ? t("person.new") : ""} ${t("person.since", { since: absolute(record.since) })}</p>
    <dl>
      <dt>${t("person.games")}</dt><dd>${record.games}</dd>
      <dt>${t("person.finished")}</dt><dd>${record.finished}</dd>
      ${record.median_answer && html`<dt>${t("person.answer")}</dt><dd>${length(record.median_answer)}</dd>`}
      <dt>${t("person.time-outs")}</dt><dd>${record.time_outs}</dd>
      <dt>${t("person.left")}</dt><dd>${record.left}</dd>
    </dl>
    ${player && !link && player.id !== id && html`<${Block} id=${id} name=${record.name} />
      <${Report} id=${id} name=${record.name} game=${game} />`}
  </div>`;
}

/** @param {{id: string, name: string}} props */
function Block({ id, name }) {
  const [blocks, , again] = useLoaded(() => /** @type {Promise<Blocks>} */ (call("GET", "/v1/me/blocks")), [id]);
  const isBlocked = blocks?.items.some((it) => it.id === id);
  const [busy, error, change] = useSubmit(async () => {
    await call(isBlocked ? "DELETE" : "POST", `/v1/players/${id}/block`);
    again();
  });
  return html`<p class="row"><button type="button" class="plain" disabled=${busy || !blocks} aria-pressed=${!!isBlocked}
      onClick=${change}>${t(isBlocked ? "person.unblock" : "person.block", { name })}</button>
    <small>${t("person.block.why")}</small></p>
    ${error && html`<${Sorry} error=${error} />`}`;
}

/** @param {{id: string, name: string, game: string}} props */
function Report({ id, name, game }) {
  const text = useRef();
  const [isSent, sent] = useState(false);
  const [busy, error, report] = useSubmit(async () => {
    await call("POST", `/v1/players/${id}/report`, { text: text.current.value, game });
    sent(true);
  });
  return html`<details><summary>${t("person.report", { name })}</summary>
    ${isSent ? html`<p role="status">${t("person.reported")}</p>` : html`<form onSubmit=${report}>
      <label>${t("person.report.what")} <textarea ref=${text} rows="3" maxlength="2000" required></textarea></label>
      <button disabled=${busy}>${t("person.report.send")}</button>
      ${error && html`<${Sorry} error=${error} />`}
    </form>`}
  </details>`;
}
