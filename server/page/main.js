// The page: who is signed in, which screen is shown, and what stands around all of them.
import { html, render, useEffect, useRef, useState } from "./html.js";
import { call } from "./api.js";
import { isOnline } from "./line.js";
import { here } from "./routes.js";
import { changeLanguage, me, recognise, signOut, token } from "./session.js";
import { useStore } from "./store.js";
import { LANGUAGES, speak, spoken, t } from "./words.js";
import { Lobby } from "./screens/lobby.js";
import { MyGames } from "./screens/my-games.js";
import { SignIn } from "./screens/sign-in.js";
import { Table } from "./screens/table.js";
import { later, Sorry } from "./screens/parts.js";

const Opening = later(() => import("./screens/opening.js"), "Opening");

function Page() {
  const { parts, query } = useStore(here);
  const language = useStore(spoken);
  const player = useStore(me);
  const main = useRef();
  const path = parts.join("/");
  useEffect(() => {
    const words = { lobby: "lobby", open: "opening", "sign-in": "sign-in" }[parts[0]] ?? (player ? "games" : "sign-in");
    if (parts[0] !== "games") document.title = `${t(words)} – Sternenpost`;
  }, [path, player, language]);
  const shown = useRef(path);
  useEffect(() => {
    if (shown.current !== path) main.current.focus(); // whoever hears the page, hears the new screen
    shown.current = path;
  }, [path]);
  const skip = (event) => {
    event.preventDefault();
    main.current.focus();
  };
  return html`
    <a class="skip" href="#main" onClick=${skip}>${t("skip")}</a>
    <${Head} player=${player} here=${parts[0] ?? ""} />
    <${Notice} />
    <main id="main" tabindex="-1" ref=${main} key=${language}><${Screen} parts=${parts} query=${query}
      player=${player} /></main>
    <${Foot} />`;
}

function Screen({ parts, query, player }) {
  const [first = "", id] = parts;
  if (first === "games" && id) return html`<${Table} key=${id} id=${id} invitation=${query.get("invitation")} />`;
  if (first === "lobby") return html`<${Lobby} />`;
  if (first === "sign-in" || !player) return html`<${SignIn} />`;
  if (first === "open") return html`<${Opening} />`;
  return html`<${MyGames} />`;
}

function Head({ player, here }) {
  const link = (to, words) =>
    html`<a href=${`#/${to}`} aria-current=${here === to ? "page" : null}>${t(words)}</a>`;
  return html`<header class="head">
    <a class="name" href="#/"><img src="/static/star.svg" alt="" width="28" height="28" /> Sternenpost</a>
    <nav aria-label=${t("nav")}>
      ${player && link("", "nav.games")} ${link("lobby", "nav.lobby")} ${player && link("open", "nav.open")}
    </nav>
    <div class="who">${player ? html`<${Player} player=${player} />` : link("sign-in", "nav.sign-in")}</div>
  </header>`;
}

function Player({ player }) {
  const [wrong, setWrong] = useState(null);
  return html`<span class="me">${player.name}</span>
    <button class="plain" onClick=${() => signOut().catch(setWrong)}>${t("sign-out")}</button>
    ${wrong && html`<${Sorry} error=${wrong} />`}`;
}

/** What operators tell everybody, and whether anything can be reached at all. */
function Notice() {
  const online = useStore(isOnline);
  const [notice, setNotice] = useState(null);
  useEffect(() => { call("GET", "/v1").then((it) => setNotice(it.message), () => {}); }, [online]);
  return html`<div role="status" class="notices">
    ${!online && html`<p class="notice away">${t("offline")}</p>`}
    ${notice && html`<p class="notice">${notice.text}</p>`}
  </div>`;
}

function Foot() {
  const language = useStore(spoken);
  return html`<footer class="foot">
    <label>${t("language")}
      <select value=${language} onChange=${(event) => changeLanguage(event.target.value).catch(() => {})}>
        ${LANGUAGES.map(([code, name]) => html`<option value=${code} lang=${code}>${name}</option>`)}
      </select>
    </label>
    <a href="/docs">${t("foot.docs")}</a> <a href="/docs/fairness">${t("foot.fairness")}</a>
  </footer>`;
}

const begin = async () => {
  await speak();
  const quietly = () => recognise().catch(() => {}); // the screens say what is wrong
  await quietly();
  isOnline.watch((online) => online && token() && !me.get() && quietly());
  render(html`<${Page} />`, document.getElementById("page"));
};
begin();
