// A game: before its start, while it goes on, and afterwards.
import { html, useEffect, useRef, useState } from "../html.js";
import { once } from "../api.js";
import { me } from "../session.js";
import { useStore } from "../store.js";
import { listed, t } from "../words.js";
import { Sky } from "../sky/sky.js";
import { Chat } from "../table/chat.js";
import { Back, Deeds, Waiting } from "../table/deeds.js";
import { useGame } from "../table/game.js";
import { History, useEarlier } from "../table/history.js";
import { Seats } from "../table/seats.js";
import { sentence, Story } from "../table/story.js";
import { Due, gameName, seatName } from "./game-card.js";
import { later, Sorry, useLoaded } from "./parts.js";

const GAMES = { sternenhimmel: Sky, sternenglanz: later(() => import("../glow/glow.js"), "Glow") };

export function Table({ id, invitation }) {
  const player = useStore(me);
  const table = useGame(id, invitation);
  const { game, error } = table;
  useEffect(() => {
    if (game) document.title = `${game.you?.turn != null ? "★ " : ""}${game.title} – Sternenpost`;
  }, [game]);
  if (!game) return error ? html`<${Sorry} error=${error} />` : html`<p>${t("loading")}</p>`;
  return html`
    <h1>${game.title} <small class="faint">${gameName(game)}</small></h1>
    ${error && html`<${Sorry} error=${error} />`}
    ${game.status === "open"
      ? html`<div class="table"><${Waiting} table=${table} invitation=${invitation} player=${player} /><aside><${Seats}
        game=${game} /><${Chat} table=${table} version=${game.version} seated=${!!game.you} /></aside></div>`
      : html`<${Begun} table=${table} />`}`;
}

function Begun({ table }) {
  const { game, story } = table;
  const [rules, error] = useLoaded(() => once(`/v1/rules/${game.rules}`), [game.rules]);
  const [at, setAt] = useState(null);
  const earlier = useEarlier(table, at);
  const names = game.seats.map(seatName);
  const Drawn = GAMES[game.rules];
  const goesOn = game.you && (game.status === "running" || game.status === "paused");
  if (!rules) return error ? html`<${Sorry} error=${error} />` : html`<p>${t("loading")}</p>`;
  return html`
    <${Status} table=${table} />
    <${Said} story=${story} names=${names} rules=${rules} />
    <${History} version=${game.version} at=${at} set=${setAt} />
    <div class="table">
      <div>${goesOn && html`<${Back} table=${table} />`}<${Drawn} table=${table} rules=${rules}
        view=${earlier ?? game.view} at=${at} /></div>
      <aside>
        <${Seats} game=${game} view=${earlier ?? game.view} isPast=${at !== null} />
        <${Story} story=${at === null ? story : story.filter((it) => it.version <= at)} seat=${game.you?.seat}
          names=${names} rules=${rules} showAt=${setAt} />
        <${Chat} table=${table} version=${game.version} seated=${!!game.you} />
        ${goesOn && html`<${Deeds} table=${table} />`}
      </aside>
    </div>`;
}

/** Whose turn it is and until when; how it ended; and whether news come by themselves. */
function Status({ table }) {
  const { game, live } = table;
  const asked = game.seats.filter((it) => it.to_act);
  const mine = game.you?.turn != null;
  const due = (mine ? game.seats[game.you.seat] : asked.find((it) => it.due_at))?.due_at;
  const turn = mine ? t("your-turn") : t("waits-for", { names: listed(asked.map(seatName)) });
  const winners = game.outcome && listed(game.seats.filter((it) => game.outcome.places[it.seat] === 1).map(seatName));
  return html`<p class="state">
    ${winners && html`<strong>${t("won", { names: winners })}</strong>`}
    ${!winners && game.status !== "running" && html`<strong>${t(`status.${game.status}`)}</strong>`}
    ${game.status === "running" && html`<strong
      class=${mine ? "mine" : ""}>${turn}</strong>`}
    ${game.status === "running" && due && html` <${Due} at=${due} />`}
    <span class="news ${live}" role="status">${t(`live.${live}`)}</span>
    ${game.status === "finished" && !game.private && html` <a href=${`${table.base}/archive?${table.word}`}
      download=${`${game.id}.json`}>${t("archive")}</a>`}
  </p>`;
}

/** What happened since the page was opened, for those who hear it. */
function Said({ story, names, rules }) {
  const first = useRef(story.at(-1)?.seq ?? 0);
  const [words, set] = useState("");
  useEffect(() => {
    const fresh = story.filter((it) => it.seq > first.current);
    if (!fresh.length) return;
    first.current = fresh.at(-1).seq;
    set(fresh.map((it) => sentence(it, names, rules)).filter(Boolean).join(" "));
  }, [story]);
  return html`<p class="unseen" aria-live="polite">${words}</p>`;
}
