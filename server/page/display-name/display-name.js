// The form for the player's display name, shown until they choose one.
import { html, useState } from "../ui/html.js";
import { call } from "../ui/api.js";
import { byPlace, marked, Wrong } from "../ui/field-errors.js";
import { t } from "../ui/words.js";
import { Sorry, useSubmit } from "../ui/parts.js";
import { me } from "../ui/token.js";
/** @import { Input, Profile } from "../ui/types" */

/** @param {{player: Profile}} props */
export function DisplayName({ player }) {
  const [name, setName] = useState("");
  const choose = async (/** @type {string} */ chosen) => me.set(await call("PATCH", "/v1/me", { name: chosen }));
  const [busy, error, take] = useSubmit(() => choose(name));
  const [isKeeping, wrong, keep] = useSubmit(() => choose(player.name));
  const wrongs = byPlace(error);
  return html`<section class="card display-name" aria-labelledby="display-name">
    <h2 id="display-name">${t("display-name")}</h2>
    <p>${t("display-name.why", { name: player.name })}</p>
    <form class="row" onSubmit=${take}>
      <label>${t("display-name.name")} <input name="public-name" required maxlength="40" autocomplete="nickname" value=${name}
        ...${marked(wrongs, "name")} onInput=${(/** @type {Input} */ event) => setName(event.target.value)} /></label>
      <button disabled=${busy || isKeeping}>${t("display-name.take")}</button>
      <button type="button" class="plain" disabled=${busy || isKeeping} onClick=${keep}>${t("display-name.keep", {
        name: player.name })}</button>
    </form>
    <${Wrong} wrongs=${wrongs} place="name" />
    ${error && !wrongs.name && html`<${Sorry} error=${error} />`}
    ${wrong && html`<${Sorry} error=${wrong} />`}
  </section>`;
}
