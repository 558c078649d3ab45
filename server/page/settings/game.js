// Email settings for a single game.
import { html } from "../ui/html.js";
import { call } from "../ui/api.js";
import { toGame } from "../ui/routes.js";
import { t } from "../ui/words.js";
import { Sorry, useFresh } from "../ui/parts.js";
import { Field, Save, say, useDraft, useSending } from "./parts.js";

const CHOICES = ["", "at-once", "bundled", "off"]; // "": use the profile's setting

export function OneGame({ id }) {
  const [known, error, again] = useFresh(() =>
    Promise.all([call("GET", `/v1/games/${id}`), call("GET", `/v1/games/${id}/seats/me`)]), [id]);
  if (!known) return error ? html`<${Sorry} error=${error} />` : html`<p>${t("loading")}</p>`;
  const [game, seat] = known;
  return html`<section class="card">
    <h2>${t("of-game", { title: game.title })}</h2>
    <p><a href=${toGame(id)}>${t("of-game.back")}</a></p>
    <${Mails} id=${id} saved=${seat.mails ?? ""} again=${again} />
    <h3>${t("of-game.token")}</h3>
    <p>${t("of-game.token.why")} <a href="#/settings/tokens?game=${id}">${t("of-game.token.make")}</a></p>
  </section>`;
}

function Mails({ id, saved, again }) {
  const draft = useDraft(`game ${id}`, { mails: saved });
  const sending = useSending(["mails"], async () => {
    const sent = draft.values;
    await call("PATCH", `/v1/games/${id}/seats/me`, { mails: sent.mails || null });
    draft.settle(sent);
    again();
    say("of-game", "settings.saved");
  });
  return html`<form ref=${sending.form} onSubmit=${sending.submit}>
    <${Field} id="of-game" words=${t("of-game.mails")} hint=${t("of-game.mails.hint")}
      wrong=${sending.wrong.mails}>${(it) => html`<select ...${it} name="mails" ...${draft.input("mails")}>
        ${CHOICES.map((choice) => html`<option value=${choice}>${t(choice ? `mails.${choice}` : "mails.profile")}</option>`)}
      </select>`}<//>
    <${Save} where="of-game" draft=${draft} sending=${sending} />
  </form>`;
}
