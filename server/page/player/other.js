// Actions on another player: block and report.
import { html, useRef, useState } from "../ui/html.js";
import { call } from "../ui/api.js";
import { useLoaded, useSubmit, Sorry } from "../ui/parts.js";
import { t } from "../ui/words.js";
/** @import { Blocks, Companions } from "../ui/types" */

/**
 * Offer to invite a player with whom the user has shared a table.
 * @param {{id: string, name: string}} props
 */
export function Invite({ id, name }) {
  const [met] = useLoaded(() => /** @type {Promise<Companions>} */ (call("GET", "/v1/me/companions")), [id]);
  return met?.items.some((it) => it.id === id) && html`<p><a class="button" href=${`#/open?invite=${id}`}>${
    t("person.invite", { name })}</a></p>`;
}

/** @param {{id: string, name: string}} props */
export function Block({ id, name }) {
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

/** @param {{id: string, name: string, game: string | null}} props */
export function Report({ id, name, game }) {
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
