// Open games, and a seat in one of them.
import { html } from "../html.js";
import { call } from "../api.js";
import { go, toGame, toSignIn } from "../routes.js";
import { me } from "../session.js";
import { useStore } from "../store.js";
import { t } from "../words.js";
import { GameCard, mySeat } from "./game-card.js";
import { Sorry, useLoaded, useSubmit } from "./parts.js";

export function Lobby() {
  const player = useStore(me);
  const [page, error] = useLoaded(() => call("GET", "/v1/games?status=open&limit=50"), []);
  if (!page) return error ? html`<${Sorry} error=${error} />` : html`<p>${t("loading")}</p>`;
  return html`
    <h1>${t("lobby")}</h1>
    <p>${page.items.length ? t("lobby.why") : t("lobby.none")} ${player && html`<a
      href="#/open">${t("nav.open")}</a>`}</p>
    ${error && html`<${Sorry} error=${error} />`}
    <ul class="cards">
      ${page.items.map((game) => html`<${GameCard} key=${game.id} game=${game} terms><${Join} game=${game}
        player=${player} /><//>`)}
    </ul>`;
}

function Join({ game, player }) {
  const [busy, error, join] = useSubmit(async () => {
    await call("POST", `/v1/games/${game.id}/seats`, {});
    go(toGame(game.id));
  });
  if (player && mySeat(game)) return html`<p>${t("lobby.seated")}</p>`;
  const free = game.seats.filter((it) => it.kind === "open").length;
  return html`<p class="row">
    <span>${t("lobby.free", { count: free })}</span>
    ${free > 0 && (player
      ? html`<button disabled=${busy} onClick=${join}
        aria-label=${t("lobby.join-game", { title: game.title })}>${t("lobby.join")}</button>`
      : html`<a href=${toSignIn()}>${t("lobby.sign-in")}</a>`)}
  </p>
  ${error && html`<${Sorry} error=${error} />`}`;
}
