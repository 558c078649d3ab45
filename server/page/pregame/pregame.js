// A table before the start: missing players, and the ways to join.
import { html, useRef, useState } from "../ui/html.js";
import { call } from "../ui/api.js";
import { absolute } from "../ui/times.js";
import { byPlace, marked, Wrong } from "../ui/field-errors.js";
import { ROOMS } from "../ui/games.js";
import { go, toGame, toSignIn } from "../ui/routes.js";
import { playNow } from "../ui/opponents.js";
import { listed, t } from "../ui/words.js";
import { gameName, personName, seatName } from "../ui/game-words.js";
import { Sorry, useLoaded, useSubmit } from "../ui/parts.js";
import { later } from "../ui/lazy-loading.js";
import { Leave, Mails, Rematch, Terms } from "../table/actions.js";
import { shownRules } from "../table/guide.js";
import { Host, Invitees } from "./host.js";
import { Ready } from "./ready.js";
import { committed, Salt } from "./salt.js";
/** @import { Companions, Game, Input, Profile, Seat, SeenTable } from "../ui/types" */
/** @typedef {Companions["items"][number]} Companion */

const Arrive = later("welcome", "Arrive");
const MOST = 8; // latest players to invite in one tap

/** @param {{table: SeenTable, invitation?: string | null, player: Profile | null}} props */
export function Pregame({ table, invitation, player }) {
  const { game } = table;
  const isAsked = game.seats.some((it) => it.ready !== null); // the table waits for all players to be ready
  const isHome = game.you || game.hosting;
  const seated = game.seats.filter((it) => it.player && it.name !== null);
  const link = (!game.private || game.invitation) && (seatsOf(game, "open").length > 0 ? html`<${Link} game=${game} isMain=${!!isHome} />`
    : !isAsked && html`<p>${t("link.none")}</p>`);
  return html`<section class="card waiting-room">
    <h2>${t("pregame")}</h2>
    ${game.you && !game.hosting && html`<${Welcome} game=${game} />`}
    <${Rematch} table=${table} />
    ${seated.length > 0 && html`<p>${t("pregame.seated", {
      names: listed(seated.map((it) => (it.seat === game.you?.seat ? t("you") : seatName(it)))) })}</p>`}
    ${isAsked ? html`<${Ready} table=${table} />` : html`<${Missing} table=${table} />`}
    ${(!player || player.guest) && html`<${Visitor} table=${table} invitation=${invitation} />`}
    ${player && !player.guest && !game.you && (game.invited !== null || seatsOf(game, "open").length > 0
      ? html`<${Join} table=${table} invitation=${invitation} />` : hasRoom(game) && html`<p>${t("pregame.reserved")}</p>`)}
    ${isHome && html`${link}${hasRoom(game) && html`<${Known} table=${table} /><${Invite} table=${table} />`}`}
    <p>${!game.options.ready_check && t("pregame.start")} ${t(firstOf(game) === null ? "pregame.lot" : "pregame.first", {
      number: (firstOf(game) ?? 0) + 1 })}</p>
    ${!isAsked && html`<p>${t("pregame.closes", { when: absolute(/** @type {string} */ (game.closes_at)) })}</p>`}
    <${Terms} game=${game} />
    ${!isHome && link}
    ${game.hosting && html`<${Host} table=${table} />`}
    ${game.you && html`<${Mails} game=${game} /><${Leave} table=${table} />`}
  </section>`;
}

/**
 * Welcome a player whose seat is at another player's table, and say what they can do until it starts.
 * @param {{game: Game}} props
 */
function Welcome({ game }) {
  const [busy, error, practise] = useSubmit(async () => go(await playNow(game.rules)));
  const host = game.host === null ? null : seatName(game.seats[game.host]);
  return html`<div class="for-guest">
    <p><strong>${t(host === null ? "pregame.welcome" : "pregame.welcome.by", { game: gameName(game), name: host, number: (game.you?.seat ?? 0) + 1 })}</strong>
      ${" "}${t("pregame.welcome.wait")}</p>
    <p>${t("pregame.meanwhile")}</p>
    <p class="row">${ROOMS.includes(game.rules) && html`<button type="button" onClick=${() => shownRules.set({})}>${t("guide.rules")}</button>
      <button type="button" class="plain" disabled=${busy} onClick=${practise}>${t("pregame.practise")}</button>`}</p>
    ${error && html`<${Sorry} error=${error} />`}
  </div>`;
}

/** Show that the table was closed before the start. */
export const Closed = () => html`<section class="card waiting-room">
  <h2>${t("status.closed")}</h2>
  <p>${t("pregame.closed")}</p>
  <p class="row"><a href="#/lobby">${t("nav.lobby")}</a> <a href="#/open">${t("nav.open")}</a></p>
</section>`;

const hasRoom = (/** @type {Game} */ game) => game.seats.some((it) => it.kind === "open" || it.kind === "invited");
const firstOf = (/** @type {Game} */ game) => game.options.start_seat ?? null;
const seatsOf = (/** @type {Game} */ game, /** @type {Seat["kind"]} */ kind) =>
  game.seats.filter((it) => it.kind === kind);
const isInvited = (/** @type {Game} */ game, /** @type {number} */ seat) => game.seats[seat].kind === "invited"; // without an answer so far
const named = (/** @type {Seat[]} */ seats) => listed(seats.map((it) => t("seat", { number: it.seat + 1 })));

/** @param {{table: SeenTable}} props */
function Missing({ table }) {
  const { game } = table;
  const [open, invited] = [seatsOf(game, "open"), seatsOf(game, "invited")];
  const lost = invited.filter((it) => it.unreachable);
  const declined = game.hosting ? open.filter((it) => it.declined && !it.declined_by) : [];
  const decliners = open.filter((it) => it.declined_by).map((it) => it.declined_by ?? "");
  return html`
    <p role="status">${t("pregame.missing", { count: open.length + invited.length })}</p>
    <ul>
      ${open.length > 0 && html`<li>${t("pregame.open", { seats: named(open), count: open.length })}</li>`}
      ${game.hosting ? html`<${Invitees} table=${table} invited=${invited} />` : invited.length > 0 && html`<li>${
        t("pregame.invited", { seats: named(invited), count: invited.length })}</li>`}
      ${lost.length > 0 && !game.hosting && html`<li>${t("pregame.lost", { seats: named(lost) })}</li>`}
      ${decliners.length > 0 && html`<li>${t("pregame.declined-by", { names: listed(decliners), count: decliners.length })}</li>`}
      ${declined.length > 0 && html`<li>${t("pregame.declined", { seats: named(declined) })}</li>`}
    </ul>`;
}

/**
 * Let a visitor sign in by email code and take a seat in one go.
 * @param {{table: SeenTable, invitation?: string | null}} props
 */
function Visitor({ table, invitation }) {
  const take = () => call("POST", `${table.base}/seats`, invitation ? { invitation } : {});
  if (!seatsOf(table.game, "open").length) {
    return html`${hasRoom(table.game) && html`<p>${t("pregame.reserved")}</p>`}
      <p><a class="button" href=${toSignIn()}>${t("sign-in")}</a></p>`;
  }
  return html`<${Arrive} game=${table.game} take=${take} />`;
}

/** @param {{table: SeenTable, invitation?: string | null}} props */
function Join({ table, invitation }) {
  const [salt, setSalt] = useState("");
  const [busy, error, join] = useSubmit(async () => {
    const own = await committed(table.game.id, table.game, salt);
    await call("POST", `${table.base}/seats`, { ...(invitation ? { invitation } : {}), ...own });
    await table.look();
  });
  return html`<form onSubmit=${join}>
    <button disabled=${busy}>${t("lobby.join")}</button>
    ${error && html`<${Sorry} error=${error} />`}
    <${Salt} value=${salt} set=${setSalt} />
  </form>`;
}

/**
 * Show the table's address with buttons to copy and share it.
 * @param {{game: Game, isMain: boolean}} props
 */
function Link({ game, isMain }) {
  const word = game.invitation ? `?invitation=${game.invitation}` : "";
  const link = `${location.origin}/${toGame(game.id)}${word}`;
  const field = useRef();
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    field.current.select();
    const copied = await navigator.clipboard?.writeText(link).then(() => true, () => false);
    setCopied(copied || document.execCommand("copy")); // the clipboard API needs HTTPS
  };
  const share = () => navigator.share({ title: game.title, url: link }).catch(() => {}); // the user cancelled
  return html`<div class="link">
    <label>${t(game.private ? "link" : "link.public")}
      <input ref=${field} readonly value=${link}
        onFocus=${(/** @type {Input} */ event) => event.target.select()} /></label>
    <p class="row">
      <button type="button" class=${isMain ? "" : "plain"} onClick=${copy}>${t("link.copy")}</button>
      ${"share" in navigator && html`<button type="button" class="plain" onClick=${share}>${t("link.share")}</button>`}
      <span role="status">${isCopied && t("link.copied")}</span>
    </p>
  </div>`;
}

/**
 * Invite players whom the player has met at a table, in one tap each.
 * @param {{table: SeenTable}} props
 */
function Known({ table }) {
  const { game, base, look } = table;
  const [met] = useLoaded(() => /** @type {Promise<Companions>} */ (call("GET", "/v1/me/companions")), [game.id]);
  const [asked, ask] = useState(/** @type {(Companion & {seat: number})[]} */ ([]));
  const invited = useRef(/** @type {Companion | null} */ (null));
  const [busy, error, invite] = useSubmit(async () => {
    const { seat } = await call("POST", `${base}/invitations`, { companion: invited.current?.id });
    await look();
    ask([...asked, { .../** @type {Companion} */ (invited.current), seat }]);
  });
  const unanswered = asked.filter((it) => isInvited(game, it.seat));
  const isHere = (/** @type {Companion} */ { id }) => [...asked, ...game.seats.map((it) => ({ id: it.player }))].some((it) => it.id === id);
  const known = seatsOf(game, "open").length > 0 ? (met?.items ?? []).filter((it) => !isHere(it)).slice(0, MOST) : [];
  return html`${known.length > 0 && html`<div class="row known" role="group" aria-labelledby="known"><span id="known">${t("invite.known")}</span>
      ${known.map((it) => html`<button key=${it.id} type="button" class="plain" disabled=${busy} aria-label=${t("invite.this", { name: personName(it) })}
        onClick=${() => {
          invited.current = it;
          invite();
        }}>${personName(it)}</button>`)}</div>`}
    <p role="status">${unanswered.length > 0 && t("invite.sent", { email: listed(unanswered.map(personName)) })}</p>
    ${error && html`<${Sorry} error=${error} />`}`;
}

/** @param {{table: SeenTable}} props */
function Invite({ table }) {
  const [open, invited] = [seatsOf(table.game, "open"), seatsOf(table.game, "invited")];
  const [email, setEmail] = useState("");
  const [greeting, setGreeting] = useState("");
  const [seat, setSeat] = useState("");
  const [done, setDone] = useState(/** @type {{email: string, seat: number} | null} */ (null));
  const instead = seat || (open.length ? "" : String(invited[0]?.seat));
  const [busy, error, invite] = useSubmit(async () => {
    const address = email.trim();
    const where = instead ? { seat: Number(instead) } : {};
    const { seat } = await call("POST", `${table.base}/invitations`, { email: address, greeting, ...where });
    await table.look();
    setDone({ email: address, seat });
    setEmail("");
    setGreeting("");
    setSeat("");
  });
  const wrongs = byPlace(error);
  return html`<details class="invite" open=${open.length > 0}><summary>${
    t(open.length > 0 ? "invite.one" : "invite.other")}</summary><form onSubmit=${invite}>
    <label>${t("invite")} <input type="email" required name="email" autocomplete="off" value=${email}
      ...${marked(wrongs, "email")} onInput=${(/** @type {Input} */ event) => setEmail(event.target.value)} />
      <${Wrong} wrongs=${wrongs} place="email" /></label>
    <label class="greeting">${t("invite.greeting")} <textarea name="greeting" maxlength="200" rows="2" value=${greeting}
      ...${marked(wrongs, "greeting")} onInput=${(/** @type {Input} */ event) => setGreeting(event.target.value)} />
      <${Wrong} wrongs=${wrongs} place="greeting" /></label>
    ${invited.length > 0 && html`<label>${t("invite.where")}
      <select name="where" value=${instead}
        onChange=${(/** @type {Input} */ event) => setSeat(event.target.value)}>
        ${open.length > 0 && html`<option value="">${t("invite.free")}</option>`}
        ${invited.map((it) => html`<option value=${it.seat}>${t("invite.instead", { number: it.seat + 1 })}</option>`)}
      </select></label>`}
    ${table.game.options.nameless && html`<small class="faint">${t("nameless.invited")}</small>`}
    ${!table.game.hosting && html`<small class="faint">${t("invite.private")}</small>`}
    <button class="plain" disabled=${busy}>${t("invite.send")}</button>
    ${error && !wrongs.email && !wrongs.greeting && html`<${Sorry} error=${error} />`}
  </form></details>
  <p role="status">${done && isInvited(table.game, done.seat) && t("invite.sent", done)}</p>`;
}
