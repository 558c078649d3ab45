// The page: session start, routing, and the layout around every screen.
import { html, render, useEffect, useRef, useState } from "./ui/html.js";
import { call, isTransient } from "./ui/api.js";
import { keepFocus } from "./ui/focus.js";
import { isOnline, isOutdated } from "./ui/connection.js";
import { addressOf } from "./ui/files.js";
import { here, lookAgain, signInRoute, whereNow } from "./ui/routes.js";
import { changeLanguage, recognise, signOut, wasSignedIn } from "./ui/session.js";
import { useStore } from "./ui/store.js";
import { LANGUAGES, speak, spoken, t } from "./ui/words.js";
import { openTable, Table } from "./table/table.js";
import { changeTheme, theme, THEMES } from "./ui/theme.js";
import { later } from "./ui/lazy-loading.js";
import { RETRY, Sorry } from "./ui/parts.js";
import { relative } from "./ui/times.js";
import { ended, isUnnamed, link, me, token } from "./ui/token.js";
import { entitled, useWaiting } from "./ui/waiting-for-me.js";
/** @import { Locale, Profile, Service } from "./ui/types" */

const Welcome = later("welcome", "Welcome");
const DisplayName = later("display-name", "DisplayName");
const MyGames = later("games", "MyGames");
const Lobby = later("lobby", "Lobby");
const NewGame = later("new-game", "NewGame", "options", "pregame");
const Settings = later("settings", "Settings");
const PlayerPage = later("player", "Player");
const Rules = later("rules", "Rules", "options");

function Page() {
  const { parts, query } = useStore(here);
  const language = useStore(spoken);
  const player = useStore(me);
  const main = useRef();
  const path = parts.join("/");
  const asksName = ASKS_NAME.includes(path); // the table prompts for the name itself
  const waiting = useWaiting(path, player?.id);
  useEffect(() => {
    /** @type {Record<string, string>} */
    const known = { lobby: "lobby", open: "nav.open", "sign-in": "sign-in", rules: "rules", settings: "settings" };
    const words = known[parts[0]] ?? (player ? "games" : "start");
    if (parts[0] !== "games" && parts[0] !== "players") document.title = entitled(t(words), waiting);
  }, [path, player, language, waiting]);
  useEffect(() => void badge(waiting.length), [waiting]);
  const screen = `${path} ${player?.id}`; // signing in or out shows another screen at the same address
  const shown = useRef(screen);
  useEffect(() => {
    if (shown.current !== screen) {
      const isInField = main.current.querySelector("input:focus"); // of the form to sign in
      if (!isInField) main.current.focus({ preventScroll: true }); // so that screen readers announce the new screen
      scrollTo(0, 0);
    }
    shown.current = screen;
  }, [screen]);
  return html`
    <${Skips} main=${main} />
    <${Head} player=${player} here=${parts[0] ?? ""} waiting=${waiting.length} />
    <${Notice} />
    <main id="main" tabindex="-1" ref=${main} key=${language}>
      ${isUnnamed(player) && asksName && html`<${DisplayName} player=${player} />`}
      <${Screen} parts=${parts} query=${query} player=${player} />
    </main>
    <${Foot} />`;
}

/** @param {{main: {current: HTMLElement}}} props */
function Skips({ main }) {
  const skip = (/** @type {Event} */ event) => {
    event.preventDefault();
    main.current.focus();
  };
  const toHand = (/** @type {Event} */ event) => {
    event.preventDefault();
    main.current.dispatchEvent(new KeyboardEvent("keydown", { key: "Home", bubbles: true })); // the table's key for it
  };
  return html`<a class="skip" href="#main" onClick=${skip}>${t("skip")}</a>
    <a class="skip to-hand" href="#main" onClick=${toHand}>${t("skip.hand")}</a>`;
}

/** Show the number of waiting games on the icon of the installed app. */
const badge = (/** @type {number} */ count) =>
  "setAppBadge" in navigator && navigator.setAppBadge(count).catch(() => {});

const opened = /** @type {HTMLMetaElement | null} */ (document.querySelector("meta[name=game]"))?.content;

/** Show the table of an emailed link, without navigation that its token cannot access. */
function Linked() {
  const language = useStore(spoken);
  const main = useRef();
  return html`
    <${Skips} main=${main} />
    <header class="head"><${Name} /></header>
    <${Notice} />
    <main id="main" tabindex="-1" ref=${main} key=${language}><${Table} id=${opened} /></main>
    <${Foot} />`;
}

/** @param {{parts: string[], query: URLSearchParams, player: Profile | null}} props */
function Screen({ parts, query, player }) {
  const [first = "", id, section] = parts;
  if (first === "games" && id) return html`<${Table} key=${`${id} ${token()} ${player?.id}`} id=${id}
    invitation=${query.get("invitation")} owner=${masked(query.get("as"))} />`; // remount when the player changes
  if (first === "lobby") return html`<${Lobby} />`;
  if (first === "rules") return html`<${Rules} key=${id} game=${id} section=${section}
    edition=${query.get("edition")} />`;
  if (first === "players" && id) return html`<${PlayerPage} key=${`${id} ${player?.id}`} id=${id}
    game=${query.get("game")} />`;
  if (!HOMES.includes(first)) return html`<${Nowhere} />`;
  if (token() && !player) return html`<p>${t("loading")}</p>`;
  if (first === "sign-in" || !player) return html`<${Welcome} />`;
  if (first === "open") return html`<${NewGame} isWithFriends=${query.get("with") === "friends"}
    invited=${query.get("invite")} />`;
  if (first === "settings") return html`<${Settings} section=${id} id=${section} query=${query} />`;
  return html`<${MyGames} />`;
}

/** Return an address of which only the first letter and the domain are told, or null. */
const masked = (/** @type {string | null} */ address) => (/^[^\s@]?…@[\w.-]+$/.test(address ?? "") ? address : null);

const ASKS_NAME = ["", "games", "lobby", "open"]; // screens that lead to a table
const HOMES = ["", "games", "sign-in", "open", "settings"]; // screens that a visitor sees as the landing page

const Nowhere = () => html`<h1>${t("nowhere")}</h1> <p><a href="#/">${t("nowhere.home")}</a></p>`;

/** @param {{player: Profile | null, here: string, waiting: number}} props */
function Head({ player, here, waiting }) {
  const link = (/** @type {string} */ to, /** @type {string} */ words, /** @type {unknown} */ more = undefined) =>
    html`<a href=${`#/${to}`} aria-current=${here === to ? "page" : null}>${t(words)}${more}</a>`;
  const count = waiting > 0 && html`<span class="count" aria-hidden="true">${waiting}</span>
    <span class="unseen">${t("games.wait", { count: waiting })}</span>`;
  return html`<header class="head">
    <${Name} />
    <nav aria-label=${t("nav")}>
      ${player && link("", "nav.games", count)} ${link("lobby", "nav.lobby")} ${player && link("open", "nav.open")}
      ${!player && link("rules", "rules")}
    </nav>
    <div class="who">${player && !player.guest ? html`<${Player} player=${player} here=${here} />`
      : html`<a href=${signInRoute()} onClick=${lookAgain} aria-current=${here === "sign-in" ? "page" : null}>${
        t("nav.sign-in")}</a>`}</div>
  </header>`;
}

const Name = () => html`<a class="name" href="/#/"><img src="/static/star.svg" alt="" width="28" height="28" />
  Sternenpost</a>`;

/** @param {{player: Profile, here: string}} props */
function Player({ player, here }) {
  const [wrong, setWrong] = useState(null);
  return html`<a class="me" href="#/settings" aria-label="${player.name}: ${t("settings")}"
      aria-current=${here === "settings" ? "page" : null}>${player.name}</a>
    <button class="plain" onClick=${() => signOut().catch(setWrong)}>${t("sign-out")}</button>
    ${wrong && html`<${Sorry} error=${wrong} />`}`;
}

const SOON = 300; // milliseconds reserved for requests of the current screen

/** Show the operators' message, and whether the page is offline or outdated. */
function Notice() {
  const online = useStore(isOnline);
  const [notice, setNotice] = useState(/** @type {Service["message"]} */ (null));
  const hasEnded = useStore(ended);
  const isOld = useStore(isOutdated);
  const player = useStore(me);
  const isNew = useStore(wasSignedIn);
  useEffect(() => {
    const look = () => call("GET", "/v1").then((it) => setNotice(it.message), () => {});
    const first = setTimeout(look, SOON);
    const timer = online ? undefined : setInterval(look, RETRY); // poll until the server is reachable
    return () => {
      clearTimeout(first);
      clearInterval(timer);
    };
  }, [online]);
  return html`<div role="status" class="notices">
    ${!online && html`<p class="notice away">${t("offline")}</p>`}
    ${hasEnded && html`<p class="notice">${t("session.ended")}</p>`}
    ${isOld && html`<p class="notice">${t("release")} <button class="plain" onClick=${() => release().then((it) => it.renew())}>${t("release.renew")}</button></p>`}
    ${isNew && player && html`<p class="notice">${t("sandbox.you", { name: player.name })} <a
      href=${signInRoute()}>${t("sandbox.other")}</a></p>`}
    ${notice && html`<p class="notice">${notice.text}</p>`}
  </div>`;
}

function Foot() {
  const language = useStore(spoken);
  const colours = useStore(theme);
  return html`<footer class="foot">
    <label>${t("language")}
      <select value=${language} onChange=${(/** @type {{target: HTMLSelectElement}} */ { target }) =>
        changeLanguage(/** @type {Locale} */ (target.value)).catch(() => {})}>
        ${LANGUAGES.map(([code, name]) => html`<option value=${code} lang=${code}>${name}</option>`)}
      </select>
    </label>
    <label>${t("theme")}
      <select value=${colours} onChange=${(/** @type {{target: HTMLSelectElement}} */ { target }) =>
        changeTheme(target.value)}>
        ${THEMES.map((it) => html`<option value=${it}>${t(`theme.${it}`)}</option>`)}
      </select>
    </label>
    <a href="/#/rules">${t("rules")}</a> <a href="/docs">${t("foot.docs")}</a>
    <a href="/docs/fairness">${t("foot.fairness")}</a>
  </footer>`;
}

const release = () => import(addressOf("ui/release.js"));

const LATER = 8_000; // milliseconds reserved for the current screen before the page is cached
const MOMENT = 500; // milliseconds to wait for a table before showing the page without it
const pause = (length = RETRY) => new Promise((over) => setTimeout(over, length));

/** Return the id of the table that the page was opened for, if any. */
function tableHere() {
  const { parts: [first, id], query } = whereNow();
  if (link) return opened;
  return first === "games" && !query.has("invitation") ? id : undefined;
}

/** @returns {Promise<unknown>} */
const quietly = () => recognise().catch((error) => isTransient(error) && pause().then(quietly));

const begin = async () => {
  const language = link ? /** @type {Locale} */ (document.documentElement.lang) : undefined; // its player's language
  const table = tableHere(); // sends its requests in parallel with the others
  const { seen, whole } = table ? openTable(table) : { seen: Promise.resolve(false), whole: null };
  const known = Promise.race([quietly(), pause()]);
  const learns = () => speak(language).then(() => true, () => false);
  let learnt = learns();
  relative(new Date(0)); // creating the Intl formatter is slow, so use the idle time
  while (!(await learnt)) {
    await pause();
    learnt = learns();
  }
  const comes = known.then(() => Promise.race([whole, pause(MOMENT)])); // wait briefly to avoid rendering twice
  await Promise.race([comes, seen.then((it) => it || comes)]);
  const place = /** @type {HTMLElement} */ (document.getElementById("page"));
  place.replaceChildren(); // the fallback for pages that fail to load
  keepFocus(place);
  render(html`<${link ? Linked : Page} />`, place);
  setTimeout(() => release().then((it) => it.keepShell(), () => {}), LATER);
};
begin();
