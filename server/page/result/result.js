// The result of a finished game: places, scores and tie-breaks.
import { html, useEffect, useRef } from "../ui/html.js";
import { GAMES } from "../ui/games.js";
import { call } from "../ui/api.js";
import { Sorry, useFresh, useSubmit } from "../ui/parts.js";
import { go, toGame } from "../ui/routes.js";
import { hours } from "../ui/durations.js";
import { useStore } from "../ui/store.js";
import { knows, listed, t, tell, whoPlays } from "../ui/words.js";
import { chooseOpponents, USUAL } from "../ui/opponents.js";
import { CLOCKS, draft, keep, LADDERS, wantedOf } from "../new-game/draft.js";
import { OPPONENTS, SeatName, seatName } from "../ui/game-words.js";
import { Next } from "../table/next.js";
import { hasResigned } from "../table/story.js";
import { Backdrop } from "../ui/night-sky.js";
import { COLOURS, SeatShape, sparkle } from "../ui/seat-shapes.js";
import { link, me } from "../ui/token.js";

const EVERY = 20_000; // milliseconds between looks for a rematch

/** Return the heading's reference. A result that comes while the table is open takes the focus and comes into view. */
function useHeading(isFresh) {
  const heading = useRef();
  useEffect(() => {
    if (isFresh.current && !document.activeElement?.matches("input, textarea, select")) {
      heading.current.focus({ preventScroll: true });
      heading.current.closest(".ended, .playing").scrollIntoView();
    }
    isFresh.current = false;
  }, []);
  return heading;
}

const Night = ({ game }) => html`<svg class="night" viewBox="0 0 100 100" preserveAspectRatio="xMidYMid slice" aria-hidden="true"><${Backdrop}
  seed=${game.id} /></svg>`;

const isAloneIn = (game) => game.you && game.seats.every((it) => it.seat === game.you.seat || !isPerson(it));

/** Say who abandoned a game, and lead to the next one. */
export function Abandoned({ table, isFresh }) {
  const { game, story } = table;
  const heading = useHeading(isFresh);
  const player = useStore(me);
  const late = story.findLast((it) => it.type === "game-abandoned")?.seat ?? null; // the seat that ran out of time
  const name = (it) => (it.seat === game.you?.seat ? t("you") : seatName(it));
  const isOwn = late === null ? isAloneIn(game) : late === game.you?.seat;
  const present = game.seats.filter((it) => it.kind !== "bot" && !it.stand_in);
  return html`<section class="result" aria-labelledby="result">
    <${Night} game=${game} />
    <h2 id="result" tabindex="-1" ref=${heading}>${t("story.game-abandoned")}</h2>
    <p class="why">${late === null ? tell("result.agreed", isOwn, { names: listed(present.map(name)) })
      : tell("result.late", isOwn, { name: name(game.seats[late]) })} ${t("result.none")}</p>
    ${player && !link && html`<p class="ways">${game.you && (isAloneIn(game) || !player.guest) && html`<${Rematch} game=${game} />`}<a
      class="change" href="#/">${t("nav.games")}</a></p>`}
  </section>`;
}

export function Result({ table, isFresh, isReviewed, review }) {
  const heading = useHeading(isFresh);
  const { game } = table;
  const player = useStore(me);
  const { places, scores } = game.outcome;
  const names = game.seats.map((it) => whoPlays(seatName(it), it.stand_in));
  const order = names.map((_, seat) => seat).sort((one, other) => places[one] - places[other]);
  const winners = order.filter((seat) => places[seat] === 1);
  const isMine = winners.length === 1 && game.you?.seat === winners[0] && !game.seats[winners[0]].stand_in;
  const level = nextLevel(game);
  const isAlone = isAloneIn(game);
  const form = (/** @type {string} */ words) => html`<a class=${isAlone ? "change" : "again"} href="#/open"
    onClick=${() => keep(alike(game))}>${words}</a>`;
  return html`<section class="result" aria-labelledby="result">
    <${Night} game=${game} />
    <h2 id="result" tabindex="-1" ref=${heading}>${isMine ? t("result.you")
      : t("result.won", { count: winners.length, names: listed(winners.map((it) => names[it])) })}</h2>
    <p class="why">${why(game, order, names)}</p>
    ${player && !link && html`<p class="ways">${isAlone || (game.you && !player.guest)
      ? html`<${Rematch} game=${game} />` : form(t("result.alike"))}${
      level && html`<${Again} game=${game} level=${level} />`}${review && html`<button class="plain" aria-expanded=${isReviewed} onClick=${review}>${
      t("result.review")}</button>`}${isAlone && form(t("result.change"))}</p>`}
    <ol>${order.map((seat) => html`<li key=${seat} data-seat=${seat} class=${places[seat] === 1 ? "winner" : ""}>
      <span class="place" aria-hidden="true">${places[seat]}</span><span class="unseen">${
        t("place", { place: places[seat] })}</span>
      <svg class="medal" viewBox="-20 -20 40 40" aria-hidden="true">
        ${places[seat] === 1 && html`<path class="rays" d=${sparkle(0, 0, 20)} /><path class="rays"
          transform="rotate(45) scale(.7)" d=${sparkle(0, 0, 20)} />`}
        <${SeatShape} seat=${seat} r="8.5" fill=${COLOURS[seat]} stroke="#fff" stroke-width="1" /></svg>
      <span class="who"><strong><${SeatName} game=${game.id} seat=${game.seats[seat]} />${
        seat === game.you?.seat ? ` (${t("you")})` : ""}</strong>${
        game.seats[seat].level && html`<small>${t(`opponents.${game.seats[seat].level}`)}</small>`}${
        hasResigned(table.story, seat) && html`<small>${t("resigned")}</small>`}</span>
      <span class="score">${t(GAMES[game.rules]?.score ?? "points", { count: scores[seat] })}</span>
    </li>`)}</ol>
    ${ties(game, order, names).map((it) => html`<p key=${it}>${it}</p>`)}
    <${Next} game=${game} />
    ${player?.guest && html`<p><a href="#/sign-in">${t("result.guest")}</a></p>`}
  </section>`;
}

/** Open another game with the same players, or join it if one of them has opened it. */
function Rematch({ game }) {
  const path = `/v1/games/${game.id}/rematch`;
  const [found, , look] = useFresh(() => call("GET", path));
  useEffect(() => {
    const timer = setInterval(look, EVERY);
    return () => clearInterval(timer);
  }, []);
  const [busy, error, start] = useSubmit(async () => go(toGame((await call("POST", path)).id)));
  if (found?.seated) return html`<a class="again" href=${toGame(found.game)}>${t("result.go")}</a>`;
  const name = found?.game && game.seats[found.asked_by] && seatName(game.seats[found.asked_by]);
  return html`<span role="status">${name && t("result.asked", { name })}</span>
    <button class="again" disabled=${busy} onClick=${start}>${t(found?.game ? "lobby.join" : "result.rematch")}</button>
    ${error && html`<${Sorry} error=${error} />`}`;
}

/**
 * Open a game like this one against bots of another level, and go to its table.
 * @param {{game: any, level: string}} props
 */
function Again({ game, level }) {
  const [busy, error, start] = useSubmit(async () => {
    chooseOpponents(level);
    go(toGame((await call("POST", "/v1/games", wantedOf(alike(game, level)))).id));
  });
  return html`<button class="plain" disabled=${busy} onClick=${start}>${
    t("result.level", { number: level.slice(-1) })}</button>
    ${error && html`<${Sorry} error=${error} />`}`;
}

/** Explain how the game was decided, and by how much. */
function why({ rules, outcome, view, seats, you: player }, order, names) {
  const { places, scores } = outcome;
  const you = player && !seats[player.seat].stand_in ? player : null; // else it was the bot's place
  const key = `story.why.${view?.result?.reason}`;
  const next = order.find((seat) => places[seat] > 1);
  const count = next === undefined ? 0 : scores[order[0]] - scores[next];
  const isOwn = next !== undefined && next === you?.seat;
  const ahead = count > 0 && tell("result.ahead", isOwn, { ahead: t(GAMES[rules]?.score ?? "points", { count }), name: names[next] });
  const behind = you && places[you.seat] > 1 && !isOwn && scores[order[0]] - scores[you.seat];
  const own = behind > 0 && t("result.place", { place: t(`result.rank.${places[you.seat]}`), behind: t(GAMES[rules]?.score ?? "points", { count: behind }) });
  return [knows(key) && t(key), ahead, own].filter(Boolean).join(" ");
}

/** Explain shared places and tie-breaks between equal scores. */
function ties({ rules, outcome, view }, order, names) {
  const { places, scores } = outcome;
  const all = (group) => listed(group.map((seat) => names[seat]));
  const key = GAMES[rules]?.score ?? "points";
  const said = [];
  for (const score of new Set(scores)) {
    const equal = order.filter((seat) => scores[seat] === score);
    for (const place of new Set(equal.map((seat) => places[seat]))) {
      const same = equal.filter((seat) => places[seat] === place);
      if (same.length > 1) said.push(t(`result.shared.${key}`, { names: all(same) }));
    }
    const reached = (seat) => view?.result?.reason === "goal" && places[seat] === 1; // won by the goal, not by score
    const ranked = equal.filter((seat) => !reached(seat));
    const isBroken = new Set(ranked.map((seat) => places[seat])).size > 1;
    if (isBroken && view?.discards) {
      const first = ranked.filter((seat) => places[seat] === places[ranked[0]]);
      said.push(t("result.discards", { names: all(ranked), first: all(first) }));
    }
  }
  return said;
}

const isPerson = (it) => it.kind !== "bot" || it.stand_in;

/** Return the level to play next after a win against bots only, or after a last place, or undefined. */
function nextLevel({ seats, you, outcome }) {
  const others = seats.filter(({ seat }) => seat !== you?.seat);
  if (!you || seats[you.seat].stand_in || others.some(isPerson)) return undefined;
  const level = Math.max(...others.map((it) => OPPONENTS.indexOf(it.level ?? USUAL)));
  const place = outcome.places[you.seat];
  if (place === 1) return OPPONENTS[level + 1];
  return place === seats.length ? OPPONENTS[level - 1] : undefined;
}

/**
 * Return a draft for a game like this one, perhaps against bots of another level. Other players' seats are open, since
 * their addresses are unknown here.
 * @param {any} game
 * @param {string} [level]
 */
function alike({ rules, options, seats, you, private: isPrivate, clock, on_timeout: ladder }, level) {
  const own = you?.seat ?? seats.findIndex(isPerson); // a spectator takes the first human seat
  const kind = (it) => (it.seat === own ? "me" : isPerson(it) ? "open" : level ?? it.level ?? USUAL);
  return { ...draft(), rules, options, isPrivate: isPrivate || null, title: "", salt: "", seats: seats.map((it) => ({ kind: kind(it) })),
    ...clockLike(clock), ...ladderLike(ladder) };
}

function clockLike(clock) {
  const { own } = draft();
  const said = Object.entries(clock).filter(([, time]) => time);
  const known = Object.keys(CLOCKS).find((name) => Object.keys(CLOCKS[name]).length === said.length
    && said.every(([part, time]) => CLOCKS[name][part] === time));
  const times = Object.fromEntries(said.map(([part, time]) => [part, number(time)]));
  return { clock: known ?? (clock.per_move ? "own-time" : "own-bank"), own: { ...own, ...times } };
}

function ladderLike(ladder) {
  const known = Object.keys(LADDERS).find((name) => LADDERS[name].length === ladder.length
    && LADDERS[name].every((rung, i) => Object.keys(rung).every((field) => rung[field] === ladder[i][field])));
  if (known) return { ladder: known };
  const rungs = ladder.slice(0, -1)
    .map((it) => ({ ...it, times: String(it.times), ...(it.by && { by: number(it.by) }) }));
  return { ladder: "own", rungs, last: ladder.at(-1) };
}

/** Convert an ISO 8601 duration to form fields. */
function number(duration) {
  const time = hours(duration);
  if (time % 24 === 0) return { number: String(time / 24), unit: "D" };
  return time % 1 === 0 ? { number: String(time), unit: "H" } : { number: String(Math.round(time * 60)), unit: "M" };
}
