// Salt: a player's own input to a game's random seed.
import { html, useState } from "../ui/html.js";
import { randomKey } from "../ui/api.js";
import { forGood } from "../ui/local-storage.js";
import { me } from "../ui/token.js";
import { t } from "../ui/words.js";
/** @import { Input, Options } from "../ui/types" */

const keyOf = (/** @type {string} */ id) => `sternenpost.salt.${me.get()?.id}.${id}`;

/** Return the salt that this device committed at a table, or "". */
export const kept = (/** @type {string} */ id) => forGood.getItem(keyOf(id)) ?? "";

/**
 * Return the salt fields of a join request. With a ready check, only the SHA-256 is sent.
 * @param {string} id
 * @param {{options: Options}} game
 * @param {string} salt
 */
export async function committed(id, { options }, salt) {
  if (!salt || !options.ready_check) return salt ? { salt } : {};
  if (!crypto.subtle) return {}; // needs HTTPS
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(salt)));
  forGood.setItem(keyOf(id), salt);
  return { salt_hash: Array.from(hash, (byte) => byte.toString(16).padStart(2, "0")).join("") };
}

/** @param {{value: string, set: (salt: string) => void}} props */
export function Salt({ value, set }) {
  const [wasGiven] = useState(!!value);
  return html`<details class="salt" open=${wasGiven}><summary>${t("salt")}</summary>
    <p>${t("salt.about")} <a href="/docs/fairness">${t("foot.fairness")}</a></p>
    <div class="row">
      <label>${t("salt.word")} <input name="salt" maxlength="200" autocomplete="off" spellcheck="false" value=${value}
        onInput=${(/** @type {Input} */ event) => set(event.target.value)} /></label>
      <button type="button" class="plain" onClick=${() => set(randomKey())}>${t("salt.draw")}</button>
    </div>
  </details>`;
}
