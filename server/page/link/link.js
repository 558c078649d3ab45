// A table opened by an emailed link: which seat the link plays, how the turn ended, and what to do if the game can't be seen.
import { html, useEffect, useRef } from "../ui/html.js";
import { cached } from "../ui/api.js";
import { forGood, forNow } from "../ui/local-storage.js";
import { toGame, toSignIn } from "../ui/routes.js";
import { KEY } from "../ui/token.js";
import { listed, t } from "../ui/words.js";
import { seatName } from "../ui/game-words.js";
import { useLoaded } from "../ui/parts.js";
import { mySeat } from "../ui/waiting-for-me.js";
import { sentence } from "../table/story.js";
/** @import { Problem } from "../ui/api.js" */
/** @import { Game, GameEvent, Profile, Seat, Table } from "../ui/types" */

/**
 * Show which seat the link plays. It may differ from the account that is signed in.
 * @param {{game: Game}} props
 */
export function ForSeat({ game }) {
  return html`<p class="card for-seat">
    <span>${t("link.for", { name: ownName(game) })}</span> <${WholeGame} game=${game} />
  </p>`;
}

/**
 * Show what was played with an expired link, or why it no longer works.
 * @param {{table: Table, problem: Problem}} props
 */
export function Ended({ table, problem }) {
  const { game, played } = table;
  const heading = useRef();
  useEffect(() => heading.current.focus(), []); // the focused button was removed
  return html`<section class="narrow ended">
    <h1 ref=${heading} tabindex="-1">${game && played.length ? t("link.played", { name: ownName(game) })
      : t("link.ended")}</h1>
    ${game && html`<p class="faint">${game.title}</p>`}
    ${played.length > 0 && html`<${Told} game=${game} played=${played} />`}
    ${played.every((it) => it.type !== "game-ended") && html`<p>${game && next(game)} ${problem.detail}${
      game && played.length > 0 && game.options.take_back !== "never" && ` ${t("link.undo")}`}</p>`}
    ${game && html`<p><${WholeGame} game=${game} /></p>`}
  </section>`;
}

/**
 * Return which other players are to move, or false if only bots are.
 * @param {Game} game
 */
function next({ seats, you }) {
  const asked = seats.filter((it) => it.to_act && it.kind === "human" && it.seat !== you?.seat);
  return asked.length > 0 && t("link.next", { names: listed(asked.map(seatName)) });
}

/** @param {{game: Game, played: GameEvent[]}} props */
function Told({ game, played }) {
  const [rules] = useLoaded(() => cached(`/v1/rules/${game.rules}`), [game.rules]);
  const names = game.seats.map(seatName);
  const said = rules ? played.map((it) => ({ seq: it.seq, words: sentence(it, names, rules, game.you?.seat) })) : [];
  const told = said.filter(({ words }) => words);
  return html`<ul>${told.map(({ seq, words }) => html`<li key=${seq}>${words}</li>`)}</ul>`;
}

/** Whether a player is signed in in this browser, perhaps another one than the link's. */
const isSignedIn = () => !!(forNow.getItem(KEY) || forGood.getItem(KEY));

/**
 * Link to the full page, since an emailed link does not sign the player in.
 * @param {{game: Game}} props
 */
const WholeGame = ({ game }) => html`<a href=${`/${toGame(game.id)}`}>${
  t(isSignedIn() ? "link.game.open" : "link.game")}</a>`;

/** @param {Game} game */
const ownName = (game) => seatName(/** @type {Seat} */ (mySeat(game)));

/**
 * Offer to sign in, or as whom else, if a game can't be seen. A private game looks like one that doesn't exist.
 * @param {{owner: string | null, player: Profile | null}} props
 */
export function Unseen({ owner, player }) {
  const email = player && !player.guest && player.email;
  return html`<h1>${t("table")}</h1>
    <p>${owner ? t("table.seated", { email: owner }) : email ? t("table.other", { email }) : t("table.private")}</p>
    <p class="row"><a class="button" href=${toSignIn()}>${t(email ? "table.switch" : "sign-in")}</a>
      ${email && html`<a href="#/">${t("nav.games")}</a>`} <a href="#/lobby">${t("nav.lobby")}</a></p>`;
}
