// A game: before its start, while it goes on, and afterwards.
import { html, useEffect, useRef, useState } from "../ui/html.js";
import { cached, picture as fetched } from "../ui/api.js";
import { seen } from "../ui/local-storage.js";
import { useStore } from "../ui/store.js";
import { listed, t } from "../ui/words.js";
import { Chat } from "./chat.js";
import { Actions, Back } from "./actions.js";
import { useGame } from "./game.js";
import { History, useEarlier } from "./history.js";
import { Seats } from "./seats.js";
import { hasMissed, lastMove, sentence, sinceOwnTurn, Story } from "./story.js";
import { entitled, mySeat, waiting } from "../ui/waiting-for-me.js";
import { Next } from "./next.js";
import { Due, isClosed, seatName, untold } from "../ui/game-card.js";
import { later } from "../ui/lazy-loading.js";
import { Sorry, useLoaded, useSubmit } from "../ui/parts.js";
import { link, me, over } from "../ui/token.js";
/** @import { Game, GameEvent, RulesDescription, SeenTable } from "../ui/types" */

const Waiting = later("waiting", "Waiting");
const Closed = later("waiting", "Closed");
const RulesBeside = later("rules", "RulesBeside", "options");
const ForSeat = later("link", "ForSeat");
const Ended = later("link", "Ended");
const Picture = later("picture", "Picture");
const Final = later("final", "Final");
const Since = later("since", "Since");
const Replay = later("since", "Replay");
const Standings = later("standings", "Standings");
const GAMES = {
  sternenhimmel: later("sternenhimmel", "Sternenhimmel"),
  sternenglanz: later("sternenglanz", "Sternenglanz"),
};

/** @param {{id: string, invitation?: string | null}} props */
export function Table({ id, invitation }) {
  const player = useStore(me);
  const ended = useStore(over);
  const table = useGame(ended ? null : id, invitation);
  const { game, error } = table;
  const games = useStore(waiting);
  useEffect(() => {
    const title = game ? `${game.you?.turn != null ? "★ " : ""}${game.title}` : t("table");
    document.title = entitled(title, games);
  }, [game, games]);
  if (ended) return html`<${Ended} table=${table} problem=${ended} />`;
  if (!game) return html`<h1>${t("table")}</h1>
    ${error ? html`<${Sorry} error=${error} />` : html`<p>${t("loading")}</p>`}`;
  return html`
    <div class="title"><h1>${game.title} <small class="faint">${untold(game)}</small></h1>
      ${game.rules in GAMES && html`<${RulesButton} game=${game} />`}</div>
    ${link && html`<${ForSeat} game=${game} />`}
    ${error && html`<${Sorry} error=${error} />`}
    ${game.status === "open"
      ? html`<div class="table"><${Waiting} table=${table} invitation=${invitation} player=${player} /><aside><${Seats}
        game=${game} /><${Chat} table=${table} seated=${!!game.you} /></aside></div>`
      : isClosed(game)
        ? html`<div class="table"><${Closed} /><aside><${Seats} game=${game} /><${Chat} table=${table}
          seated=${!!game.you} /></aside></div>`
        : html`<${Begun} table=${table} />`}`;
}

/**
 * The rules of this game, over the table, which stays as it is.
 * @param {{game: Game}} props
 */
function RulesButton({ game }) {
  const [open, setOpen] = useState(false);
  return html`<button class="plain" aria-haspopup="dialog" onClick=${() => setOpen(true)}>${t("rules")}</button>
    ${open && html`<${RulesBeside} game=${game} close=${() => setOpen(false)} />`}`;
}

/** @param {{table: SeenTable}} props */
function Begun({ table }) {
  const { game, story, live } = table;
  const [rules, error] = useLoaded(() => cached(`/v1/rules/${game.rules}`), [game.rules]);
  const [at, setAt] = useState(/** @type {number | null} */ (null));
  const { earlier, isComing, refused } = useEarlier(table, at);
  const [replay, setReplay] = useState(/** @type {{from: number} | null} */ (null));
  const names = game.seats.map(seatName);
  const Drawn = GAMES[game.rules] ?? Picture;
  const goesOn = game.you && !link && (game.status === "running" || game.status === "paused");
  const [missed, know] = useMissed(table);
  const isSettled = useRef(false); // what can wait comes once news come by themselves, and stays
  isSettled.current ||= live !== "away";
  const show = (/** @type {number} */ wanted) => setAt(wanted >= game.version ? null : Math.max(1, wanted));
  const watch = (/** @type {number} */ from) => {
    setAt(from);
    setReplay({ from });
  };
  const leave = () => {
    setAt(null);
    setReplay(null);
  };
  if (!rules) return error ? html`<${Sorry} error=${error} />` : html`<p>${t("loading")}</p>`;
  return html`
    <${Status} table=${table} />
    <${Said} story=${story} names=${names} rules=${rules} />
    <${History} version=${game.version} at=${at} show=${show} isComing=${isComing}
      replay=${() => watch(at ?? 1)} />
    <div class="table">
      <div><h2 class="unseen">${t("table")}</h2>${goesOn && mySeat(game)?.stand_in && html`<section
        class="card back"><${Back} game=${game} again=${table.look} /></section>`}
        ${game.outcome && at === null && html`<${Final} table=${table} />`}
        ${replay && html`<${Replay} key=${replay} ...${replay} at=${at} version=${game.version} isHere=${!isComing}
          showAt=${show} close=${leave}
          story=${story} names=${names} rules=${rules} />`}
        ${missed && !replay && !game.outcome && html`<div class="missed">${isSettled.current && html`<${Since}
          names=${names} rules=${rules} items=${sinceOwnTurn(story, game.you?.seat)}
          watch=${() => watch(know() || 1)} close=${know} />`}</div>`}
        ${refused && html`<${Sorry} error=${refused} />`}
        <div class=${isComing ? "coming" : ""} aria-busy=${isComing}><${Drawn}
          table=${table} rules=${rules} view=${earlier ?? game.view} at=${at} /></div></div>
      <aside>
        <${Seats} game=${game} view=${earlier ?? game.view} isPast=${at !== null} />
        ${isSettled.current && story.some((it) => it.payouts || it.points) && html`<${Standings} game=${game}
          story=${story} names=${names} at=${at} showAt=${show} />`}
        <${Story} story=${at === null ? story : story.filter((it) => it.version <= at)} seat=${game.you?.seat}
          names=${names} rules=${rules} showAt=${show} />
        <${Chat} table=${table} seated=${!!game.you && !link} />
        ${goesOn && html`<${Actions} table=${table} />`}
      </aside>
    </div>`;
}

/**
 * Whether others had moved since the reader's own last move when he opened the game, until he moves or knows; `know`
 * gives the version of that move.
 * @param {SeenTable} table
 * @returns {[missed: boolean, know: () => number]}
 */
function useMissed({ game, story }) {
  const seat = game.you?.seat;
  const kept = seen("known", me.get()?.id);
  const last = lastMove(story, seat);
  const [missed, set] = useState(() => {
    const known = kept.of(game.id);
    return !link && seat !== undefined && hasMissed(story.filter((it) => it.version > known), seat) ? last : null;
  });
  const know = () => {
    kept.upTo(game.id, game.version);
    set(null);
    return last;
  };
  return [missed === last, know];
}

/**
 * Whose turn it is and until when; how it ended; and whether news come by themselves.
 * @param {{table: SeenTable}} props
 */
function Status({ table }) {
  const { game, live } = table;
  const asked = game.seats.filter((it) => it.to_act);
  const mine = game.you?.turn != null;
  const due = (mine ? mySeat(game) : asked.find((it) => it.due_at))?.due_at;
  const turn = mine ? t("your-turn") : t("waits-for", { names: listed(asked.map(seatName)) });
  const { outcome } = game;
  const winners = outcome && listed(game.seats.filter((it) => outcome.places[it.seat] === 1).map(seatName));
  return html`<p class="state">
    ${winners && html`<strong>${t("won", { names: winners })}</strong>`}
    ${!winners && game.status !== "running" && html`<strong>${t(`status.${game.status}`)}</strong>`}
    ${game.status === "running" && html`<strong
      class=${mine ? "mine" : ""}>${turn}</strong>`}
    ${game.status === "running" && due && html` <${Due} at=${due} />`}
    <${Next} game=${game} />
    <span class="news ${live}" role="status">${t(`live.${live}`)}</span>
    ${game.status === "finished" && html`<${Archive} table=${table} />`}
  </p>`;
}

/**
 * Saved from here, since a link that is followed sends no token.
 * @param {{table: SeenTable}} props
 */
function Archive({ table }) {
  const [busy, error, save] = useSubmit(async () => {
    const href = URL.createObjectURL(await fetched(`${table.base}/archive?${table.word}`));
    Object.assign(document.createElement("a"), { href, download: `${table.game.id}.json` }).click();
    setTimeout(() => URL.revokeObjectURL(href), 10_000);
  });
  return html`<button class="plain" disabled=${busy} onClick=${save}>${t("archive")}</button>
    ${error && html`<${Sorry} error=${error} />`}`;
}

/**
 * What happened since the page was opened, for those who hear it.
 * @param {{story: GameEvent[], names: string[], rules: RulesDescription}} props
 */
function Said({ story, names, rules }) {
  const first = useRef(story.at(-1)?.seq ?? 0);
  const [words, set] = useState("");
  useEffect(() => {
    const fresh = story.filter((it) => it.seq > first.current);
    if (!fresh.length) return;
    first.current = fresh[fresh.length - 1].seq;
    set(fresh.map((it) => sentence(it, names, rules)).filter(Boolean).join(" "));
  }, [story]);
  return html`<p class="unseen" aria-live="polite">${words}</p>`;
}
