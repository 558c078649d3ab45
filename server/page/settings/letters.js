// Emails sent to the player, with their delivery status.
import { html } from "../ui/html.js";
import { absolute } from "../ui/times.js";
import { me } from "../ui/token.js";
import { t } from "../ui/words.js";
import { called, GameLink, More, usePages } from "./parts.js";

export function Letters() {
  const pages = usePages("/v1/me/deliveries?limit=20", (it) => it.letter);
  return html`<section class="card">
    <h2>${t("settings.letters")}</h2>
    <p>${t("letters.why", { email: me.get()?.email })}</p>
    ${pages.items?.length === 0 && html`<p>${t("letters.none")}</p>`}
    ${pages.items && pages.items.length > 0 && html`<ul class="rows stacked">${pages.items.map((it) => html`<${Letter}
      key=${it.letter} letter=${it} />`)}</ul>`}
    <div class="row"><${More} pages=${pages} />
      <button type="button" class="plain" onClick=${pages.again}>${t("settings.look")}</button></div>
  </section>`;
}

function Letter({ letter }) {
  const { kind, game, title, result, detail, tries, at } = letter;
  return html`<li>
    <p><strong>${called("kind", kind)}</strong>${game && html` · <${GameLink} id=${game} title=${title} />`}</p>
    <p class="became ${result}">${called("letter", result)}
      ${tries > 1 && html` · ${t("letters.tries", { count: tries })}`}</p>
    <p class="faint"><time datetime=${at}>${absolute(at)}</time>${detail && html` · <span>${detail}</span>`}</p>
  </li>`;
}
