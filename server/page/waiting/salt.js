// Salt: a word of one's own that goes into the chance of a game.
import { html, useState } from "../ui/html.js";
import { randomKey } from "../ui/api.js";
import { t } from "../ui/words.js";
/** @import { Input } from "../ui/types" */

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
