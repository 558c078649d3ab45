// Preferences for a table: sound, and how much screen readers announce.
import { html } from "../ui/html.js";
import { beLoud, isLoud } from "../ui/sound.js";
import { useStore } from "../ui/store.js";
import { beTerse, isTerse } from "../ui/verbosity.js";
import { t } from "../ui/words.js";
/** @import { Input } from "../ui/types" */

export function Preferences() {
  const terse = useStore(isTerse);
  const loud = useStore(isLoud);
  return html`<section class="card preferences" aria-label=${t("preferences")}>
    <h2>${t("preferences")}</h2>
    <label class="check"><input type="checkbox" name="sound" checked=${loud}
      onChange=${(/** @type {Input} */ { target }) => beLoud(target.checked)} /> ${t("preferences.sound")}</label>
    <label class="check"><input type="checkbox" name="terse" checked=${terse}
      onChange=${(/** @type {Input} */ { target }) => beTerse(target.checked)} /> ${t("preferences.terse")}</label>
  </section>`;
}
