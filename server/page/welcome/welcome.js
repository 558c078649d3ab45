// The landing page: a live table, the games, and the ways to sign in or play.
import { html } from "../ui/html.js";
import { call } from "../ui/api.js";
import { ROOMS } from "../ui/games.js";
import { Opponents, playNow } from "../ui/opponents.js";
import { appAsking, go, here, lookAgain, toGame, toSignIn, WITH_FRIENDS } from "../ui/routes.js";
import { t } from "../ui/words.js";
import { title } from "../ui/game-words.js";
import { Sorry, useLoaded, useSubmit } from "../ui/parts.js";
import { Live, still } from "./live.js";
import { SignIn, Steps } from "./sign-in.js";

/** @import { GameSummary } from "../ui/types" */

const MOST = 20; // tables to count

/** The address for playing by email only, or "" if this server accepts no email. */
const DESK = document.querySelector('meta[name="desk"]')?.getAttribute("content") ?? "";

export function Welcome() {
  const { parts, query } = here.get();
  const signsIn = parts[0] === "sign-in";
  if (signsIn && appAsking(query)) return html`<div class="welcome for-app"><div class="door"><${SignIn} /></div></div>`;
  return html`<div class="welcome ${signsIn ? "at-the-door" : ""}">
    <section class="evening">
      <div class="words"><h1>${t("welcome")}</h1><p>${t("welcome.how")}</p>
        <div class="plays">${ROOMS.map((name) => html`<${PlayNow} rules=${name} />`)}</div>
        <${Opponents} />
        <a class="button friends" href=${toSignIn(WITH_FRIENDS)} onClick=${lookAgain}>${t("welcome.friends")}</a></div>
      <div class="further"><p class="small">${t("welcome.play.about")}</p>
        <p class="small">${t("welcome.time")}</p>
        ${DESK && html`<p class="small"><a href=${`mailto:${DESK}`}>${t("welcome.desk", { address: DESK })}</a></p>`}
        <${Waiting} /></div>
      <${Live} games=${ROOMS} />
    </section>
    <div class="door"><${SignIn} /></div>
    <ul class="cards">${ROOMS.map((name) => html`<li class="card game-of">
      <img src=${still(name)} alt="" width="720" height="758" loading="lazy" />
      <h2>${title(name)}</h2>
      <p>${t(`welcome.${name}`)}</p>
      <${PlayNow} rules=${name} plain />
      <p class="row"><a href=${`#/rules/${name}`}>${t("welcome.rules", { game: title(name) })}</a> <a
        href=${`#/lobby?rules=${name}`}>${t("welcome.lobby", { game: title(name) })}</a></p>
    </li>`)}</ul>
  </div>`;
}

/**
 * Show a visitor the game with a form to sign in and take a free seat.
 * @param {{game: GameSummary, take: () => Promise<unknown>}} props
 */
export const Arrive = ({ game: { rules, title }, take }) => html`<div class="arrive">
  ${ROOMS.includes(rules) && html`<img src=${still(rules)} alt="" width="720" height="758" />
    <p>${t(`welcome.${rules}`)}</p>`}
  <h3>${t("sign-in.seat", { title })}</h3>
  <${Steps} words=${t("lobby.join")} then=${take} />
</div>`;

/** Show how many tables of people wait for a player, with a link to them. The line's space is reserved. */
function Waiting() {
  const [found] = useLoaded(() => call("GET", `/v1/games?status=open&free=true&limit=${MOST}`), []);
  /** @type {GameSummary[]} */
  const tables = (found?.items ?? []).filter((/** @type {GameSummary} */ it) =>
    it.seats.some(({ kind }) => kind === "human"));
  const count = found?.next ? `${tables.length}+` : tables.length;
  return html`<p class="waiting">${tables.length > 0 && html`<a
    href=${tables.length === 1 ? toGame(tables[0].id) : "#/lobby"}>${t("welcome.waiting", { count })}</a>`}</p>`;
}

/** @param {{rules: string, plain?: boolean}} props */
function PlayNow({ rules, plain = false }) {
  const [busy, error, play] = useSubmit(async () => go(await playNow(rules)));
  return html`<p class="play"><button class=${plain ? "plain" : ""} disabled=${busy} onClick=${play}>${
      t("welcome.play.game", { game: title(rules) })}</button></p>
    ${!plain && html`<p class="small">${t(`welcome.${rules}.short`)}</p>`}
    ${error && html`<${Sorry} error=${error} />`}`;
}
