// The draft of a new game: the form's values, and the request made from them.
import { ROOMS } from "../ui/games.js";
import { forGood } from "../ui/local-storage.js";
import { USUAL } from "../ui/opponents.js";
import { me } from "../ui/token.js";

export const CLOCKS = {
  slow: { per_move: "P7D" },
  usual: { per_move: "P2D" },
  daily: { per_move: "P1D" },
  quick: { per_move: "PT1H" },
  bank: { bank: "P3D", increment: "PT12H", cap: "P5D" },
};
export const LADDERS = {
  kind: [
    { do: "extend", by: "P1D", times: 1 },
    { do: "bot-move", bot: "greedy", times: 2 },
    { do: "bot-takes-over", bot: "greedy" },
  ],
  strict: [{ do: "bot-takes-over", bot: "greedy" }],
  abandon: [{ do: "extend", by: "P1D", times: 1 }, { do: "abandon" }],
  end: [{ do: "abandon" }],
};
export const OPEN_FOR = ["P3D", "P7D", "P14D", "P30D", "P90D"];
export const BOTS = ["greedy", "random"]; // for the turns of absent players, which can't wait
export const UNITS = { D: "day", H: "hour", M: "minute" };
const KEY = "sternenpost.last-game";

const BLANK = {
  rules: ROOMS[0],
  options: {},
  seats: [{ kind: "me" }, { kind: USUAL }, { kind: USUAL }],
  title: "",
  isPrivate: null,
  salt: "",
  clock: "usual",
  own: {
    per_move: { number: "3", unit: "D" },
    bank: { number: "4", unit: "D" },
    increment: { number: "12", unit: "H" },
    cap: { number: "7", unit: "D" },
  },
  openFor: "P14D",
  ladder: "kind",
  rungs: [
    { do: "extend", by: { number: "1", unit: "D" }, times: "1" },
    { do: "bot-move", bot: "greedy", times: "2" },
  ],
  last: { do: "bot-takes-over", bot: "greedy" },
};

// Drafts by player. They survive a change of screen or language.
const drafts = new Map();

const owner = () => me.get()?.id;

let carried = null; // a guest's draft that needs an account

export const draft = () => drafts.get(owner()) ?? BLANK;
export const keep = (it) => void drafts.set(owner(), it);
export const discard = () => drafts.delete(owner());

/** Keep a guest's draft until they have signed in. */
export const carry = (it) => void (carried = { ...it, wasKept: true });

/** Return the player's draft, or the one that they left as a guest to sign in. */
export function claimed() {
  if (carried && !me.get()?.guest) keep(carried);
  carried = null;
  return draft();
}

/** Return the draft with all other seats reserved by email. */
export const withFriends = (it) => ({ ...it,
  seats: it.seats.map((one) => (one.kind === "me" || isInvited(one) ? one : { kind: "invite" })) });

/** Return the draft with a seat for this player, whom the host has met at a table. */
export function withCompanion(it, { id, name }) {
  if (it.seats.some(({ companion }) => companion === id)) return it;
  const place = it.seats.findIndex(({ kind }) => kind !== "me" && !isInvited({ kind }));
  return { ...it, seats: it.seats.map((one, i) => (i === place ? { kind: "companion", companion: id, name } : one)) };
}

/** Return the terms of the last game created here without its title and addresses, or null. */
export function lastTime() {
  try {
    const last = JSON.parse(forGood.getItem(KEY) ?? "null");
    return last && { ...last, seats: last.seats.map((it) => (BOTS.includes(it.kind) ? { kind: USUAL } : it)) };
  } catch {
    return null;
  }
}

export function remember({ title, salt, wasKept, ...terms }) {
  const seats = terms.seats.map(({ kind }) => ({ kind: kind === "companion" ? "invite" : kind }));
  forGood.setItem(KEY, JSON.stringify({ ...terms, isPrivate: terms.isPrivate || null, seats }));
}

/** Return whether the seats are still those that the form proposes: the host against bots. */
export const isBlank = (seats) => seats.every(({ kind }, i) => kind === BLANK.seats[Math.min(i, 1)].kind);

/** Return whether the seat waits for a player. */
export const isFree = ({ kind }) => kind === "open" || isInvited({ kind });

/** Return whether the seat is reserved for an invited player. */
const isInvited = ({ kind }) => kind === "invite" || kind === "companion";

/** Return an ISO 8601 duration. */
export const iso = ({ number, unit }) => `P${unit === "D" ? "" : "T"}${number}${unit}`;

export function clockOf({ clock, own }) {
  if (clock === "own-time") return { per_move: iso(own.per_move) };
  if (clock === "own-bank") return { bank: iso(own.bank), increment: iso(own.increment), cap: iso(own.cap) };
  return CLOCKS[clock];
}

export function ladderOf({ ladder, rungs, last }) {
  if (ladder !== "own") return LADDERS[ladder];
  return [...rungs.map(rungOf), last.do === "abandon" ? { do: "abandon" } : last];
}

const rungOf = (it) =>
  it.do === "extend"
    ? { do: it.do, by: iso(it.by), times: Number(it.times) }
    : { do: it.do, bot: it.bot, times: Number(it.times) };

/** Return whether program accounts may join. By default they may where players' names are visible. */
export const admitsPrograms = ({ programs = null, options }) => programs ?? !options.nameless;

/** Return whether the game is private. By default it is if a player is invited by email and no seat is open. */
export const isHidden = ({ isPrivate = null, seats }) =>
  isPrivate ?? (seats.some(isInvited) && !seats.some(({ kind }) => kind === "open"));

/** Return the body of POST /v1/games. A host with a salt takes their seat afterwards, once the seed is fixed. */
export function wantedOf(it) {
  const ways = { me: it.salt ? { open: true } : { player: "me" }, open: { open: true } };
  return {
    rules: it.rules,
    options: it.options,
    ...(it.title.trim() ? { title: it.title.trim() } : {}),
    private: isHidden(it),
    programs: admitsPrograms(it),
    clock: clockOf(it),
    on_timeout: ladderOf(it),
    open_for: it.openFor,
    seats: it.seats.map(({ kind, email = "", greeting = "", companion = "" }) => {
      if (kind === "invite") return { email: email.trim(), ...(greeting.trim() && { greeting }) };
      return kind === "companion" ? { companion } : ways[kind] ?? { bot: kind };
    }),
  };
}

/** Return the seat that the host takes in a separate request, with their salt, or -1. */
export const ownSeat = (it) => (it.salt ? it.seats.findIndex(({ kind }) => kind === "me") : -1);
