// The stand-in for a player's seat: request one, or end the arrangement.
import { html, useRef } from "../ui/html.js";
import { call } from "../ui/api.js";
import { byPlace, marked, Wrong } from "../ui/field-errors.js";
import { Sorry, useFresh, useSubmit } from "../ui/parts.js";
import { forGood } from "../ui/local-storage.js";
import { absolute, lastMinute } from "../ui/times.js";
import { isStandIn } from "../ui/waiting-for-me.js";
import { t } from "../ui/words.js";
/** @import { SeenTable, StandIn as Asked } from "../ui/types" */

/** @param {{table: SeenTable}} props */
export function StandIn({ table }) {
  const { base, game } = table;
  const path = `${base}/seats/me/stand-in`;
  const typed = `sternenpost.stand-in.${game.id}`; // the address, which the server doesn't return
  const look = () => /** @type {Promise<{stand_in: Asked | null}>} */ (call("GET", path));
  const [found, , again] = useFresh(look, [game]); // each look at the table returns another one
  const who = useRef();
  const from = useRef();
  const until = useRef();
  const greeting = useRef();
  const [busy, error, ask] = useSubmit(async () => {
    const days = { from: from.current.value, until: until.current.value };
    await call("POST", path, { email: who.current.value.trim(), ...days, greeting: greeting.current.value });
    forGood.setItem(typed, who.current.value.trim());
    again();
    table.look();
  });
  const [ending, refused, end] = useSubmit(async () => {
    await call("DELETE", path);
    if (isStandIn(game)) {
      location.hash = "#/"; // the game may be private
      return;
    }
    again();
    table.look();
  });
  if (!found) return null;
  const wrongs = byPlace(error);
  const asked = found.stand_in;
  const state = asked?.sits ? "sits" : asked?.accepted ? "accepted" : "asked";
  return html`<details class="card stand-in"><summary>${t("standing-in")}</summary>
    ${asked
      ? html`<p role="status">${t(`standing-in.${state}`, { name: asked.name ?? forGood.getItem(typed) ?? t("standing-in.somebody"),
          from: absolute(asked.from), until: absolute(lastMinute(asked.until)) })}</p>
        <button type="button" class="plain" disabled=${ending} onClick=${end}>${t("standing-in.end")}</button>
        ${refused && html`<${Sorry} error=${refused} />`}`
      : html`<p>${t("standing-in.what")}</p>
        <form onSubmit=${ask}>
          <label>${t("standing-in.who")} <input ref=${who} type="email" name="email" required maxlength="254"
            ...${marked(wrongs, "email")} /> <${Wrong} wrongs=${wrongs} place="email" /></label>
          <div class="row">
            <label>${t("standing-in.from")} <input ref=${from} type="date" name="from" required /></label>
            <label>${t("standing-in.until")} <input ref=${until} type="date" name="until" required /></label>
          </div>
          <label>${t("standing-in.greeting")} <textarea ref=${greeting} name="greeting" maxlength="200" rows="2" /></label>
          <button disabled=${busy}>${t("standing-in.ask")}</button>
          ${error && !wrongs.email && html`<${Sorry} error=${error} />`}
        </form>`}
  </details>`;
}
