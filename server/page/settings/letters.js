// Emails sent to the player, with their delivery status.
import { html } from "../ui/html.js";
import { absolute } from "../ui/times.js";
import { me } from "../ui/token.js";
import { t } from "../ui/words.js";
import { called, GameLink, More, usePages } from "./parts.js";

export function Letters() {
  const pages = usePages("/v1/me/deliveries?limit=20", (it) => it.letter);
  const items = pages.items ?? [];
  const [dropped, sent] = [true, false].map((was) => items.filter(({ result }) => (result === "dropped") === was));
  const email = me.get()?.email;
  return html`<section class="card">
    <h2>${t("settings.letters")}</h2>
    ${email && html`<p>${t("letters.why", { email })}</p>`}
    ${pages.items && !sent.length && html`<p>${t("letters.none")}</p>`}
    <${Rows} letters=${sent} />
    ${dropped.length > 0 && html`<details><summary>${t("letters.dropped", { count: dropped.length })}</summary>
      <${Rows} letters=${dropped} /></details>`}
    <div class="row"><${More} pages=${pages} />
      <button type="button" class="plain" onClick=${pages.again}>${t("settings.look")}</button></div>
  </section>`;
}

const Rows = ({ letters }) => letters.length > 0 && html`<ul class="rows stacked">${letters.map((it) => html`<${Letter}
  key=${it.letter} letter=${it} />`)}</ul>`;

function Letter({ letter }) {
  const { kind, game, title, result, detail, tries, at } = letter;
  return html`<li>
    <p><strong>${called("kind", kind)}</strong>${game && html` · <${GameLink} id=${game} title=${title} />`}</p>
    <p class="became ${result}">${called("letter", result)}
      ${tries > 1 && html` · ${t("letters.tries", { count: tries })}`}</p>
    <p class="faint"><time datetime=${at}>${absolute(at)}</time>${detail && html` · <span>${detail}</span>`}</p>
  </li>`;
}
