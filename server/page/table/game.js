// A game's state: fetched once, then kept up to date by its event stream.
import { useEffect, useMemo, useRef, useState } from "../ui/html.js";
import { cached, call, callUntilAnswered, isTransient, Problem } from "../ui/api.js";
import { isOnline } from "../ui/connection.js";
import { numbered } from "../ui/game-words.js";
import { RETRY } from "../ui/parts.js";
import { forGood } from "../ui/local-storage.js";
import { store, useStore } from "../ui/store.js";
import { link, me, token } from "../ui/token.js";
import { follow } from "../ui/stream.js";
import { spoken } from "../ui/words.js";
import { keep, recall } from "./last-seen.js";
import { withBots } from "./story.js";
/** @import { Seen } from "./last-seen.js" */
/** @import { Foresight, Game, GameEvent, LegalMoves, Live, Message, Move, MoveAnswer, Table } from "../ui/types" */

const SOON = 40; // milliseconds to debounce events
const CALM = 300; // milliseconds without changes before the state is cached on this device

/** @typedef {Pick<Table, "game" | "story" | "legal" | "error" | "isSeen" | "isRenewed" | "lost">} Known */
/** @typedef {{game: Game, news: {items: GameEvent[]}, legal: Promise<LegalMoves> | null}} Look */

/** @type {Known} */
const NOTHING = { game: null, story: [], legal: null, error: null, isSeen: false, isRenewed: false, lost: null };

/** @type {{by: string | null, base: string, look?: Promise<Look>, seen?: Seen | null}} */
let ahead = { by: null, base: "" };

/**
 * Prefetch a game before the first render. `seen` resolves to whether the cached state can be drawn. `whole` resolves
 * when the current state can be drawn.
 * @param {string} id
 * @param {(game: Game) => Promise<void>} expect called as soon as the game is known
 */
export function lookAhead(id, expect) {
  const base = `/v1/games/${id}`;
  const look = lookAt(base, "", 0, expect);
  ahead = { by: token(), base, look };
  const whole = look.then(({ game, legal }) => Promise.all([legal, drawable(game, expect)])).catch(() => {});
  return { seen: remember(id, expect).catch(() => false), whole }; // `useGame` reports errors
}

/**
 * @param {string} id
 * @param {(game: Game) => Promise<void>} expect
 */
async function remember(id, expect) {
  const by = token();
  const seen = await recall(id);
  if (!seen) return false;
  await drawable(seen.game, expect);
  if (by !== token()) return false; // signed out, or another account signed in
  ahead.seen = seen;
  if (!me.get()) me.set(seen.player);
  return true;
}

/**
 * Load everything needed to draw this game.
 * @param {Game} game
 * @param {(game: Game) => Promise<void>} expect
 */
const drawable = (game, expect) => Promise.all([cached(`/v1/rules/${game.rules}`), expect(game)]);

/**
 * Fetch a game and its events after `after`. The legal moves are returned as a promise.
 * @param {string} base
 * @param {string} word
 * @param {number} after
 * @param {((game: Game) => Promise<void>)} [expect]
 * @returns {Promise<Look>}
 */
async function lookAt(base, word, after, expect) {
  const asked = call("GET", `${base}?${word}`).then((/** @type {Game} */ game) => {
    cached(`/v1/rules/${game.rules}`).catch(() => {}); // the table requests it again
    expect?.(game);
    const legal = game.you?.turn != null ? call("GET", `${base}/legal-moves`) : null;
    legal?.catch(() => {}); // reported where it is awaited
    return { game, legal };
  });
  const [{ game, legal }, news] = await Promise.all([asked, call("GET", `${base}/events?after=${after}&${word}`)]);
  return { game, news, legal };
}

/**
 * Return the cached state of a game if it was prefetched. Works once.
 * @param {string} base
 */
function lastSeen(base) {
  const { seen } = isAhead(base) ? ahead : {};
  ahead.seen = null;
  return seen && { game: seen.game, story: seen.story, legal: seen.legal, isSeen: true };
}

/**
 * Return the prefetched look at a game. Works once.
 * @param {string} base
 */
function taken(base) {
  const { look } = isAhead(base) ? ahead : {};
  ahead.look = undefined;
  return look;
}

const isAhead = (/** @type {string} */ base) => ahead.base === base && ahead.by === token();

/**
 * Return the state of a game and follow its stream: `legal` has the moves open to the player, `played` the events of
 * moves made here, `said` the latest chat message, `here` the players present, `changes` counts news, any of which may come with a vote. `look` refreshes, `play` makes a move.
 * Without an id, nothing is fetched.
 * @param {string | null} id
 * @param {string | null} [invitation]
 * @param {(game: Game) => Promise<void>} [expect] called as soon as the game is known
 * @returns {Table}
 */
export function useGame(id, invitation, expect) {
  const base = `/v1/games/${id}`;
  const [known, set] = useState(() => /** @type {Known} */ ({ ...NOTHING, ...lastSeen(base) }));
  const [live, setLive] = useState(/** @type {Live} */ ("away"));
  const kept = useRef(/** @type {Pick<Table, "story" | "played" | "said" | "here" | "changes" | "look">} */ (
    { story: [], played: [], changes: store(0), here: store(/** @type {number[]} */ ([])), said: store(/** @type {Message | null} */ (null)), look: async () => {} }));
  const word = invitation ? `invitation=${encodeURIComponent(invitation)}` : "";

  /** @param {GameEvent[]} items */
  function learn(items) {
    const seen = new Set(kept.current.story.map((it) => it.seq));
    const fresh = items.filter((it) => !seen.has(it.seq));
    if (fresh.length) kept.current.story = withBots([...kept.current.story, ...fresh].sort((one, other) => one.seq - other.seq));
    return kept.current.story;
  }

  /** Start from scratch after the server restored a backup, since our state may be newer than its own. */
  function forget() {
    kept.current.story = [];
    set({ ...NOTHING });
  }

  /** @param {() => void} heard called when the stream may be opened */
  async function ask(heard) {
    const after = kept.current.story.at(-1)?.seq ?? 0;
    const looked = (!word && taken(base)) || lookAt(base, word, after, expect);
    const { game, news, legal: open } = await looked.catch((/** @type {any} */ error) => {
      if (error.code !== "place-ahead") throw error;
      forget();
      return lookAt(base, word, 0, expect);
    });
    learn(news.items);
    heard();
    const legal = await open;
    const { story } = kept.current;
    set((it) => {
      if (it.isSeen && !isOnline.get()) return it; // the response came from the cache as well
      const version = it.game?.version ?? game.version;
      if (version > game.version && !it.isSeen) return { ...it, story }; // a newer response arrived first
      const isRenewed = it.isRenewed || (it.isSeen && version !== game.version);
      return { game, story, legal, error: null, isSeen: false, isRenewed, lost: null };
    });
  }

  useEffect(() => {
    if (!id) return;
    /** @type {number | undefined} */
    let timer;
    /** @type {ReturnType<typeof follow> | undefined} */
    let stream;
    let isOpen = true;
    const look = async () => {
      clearTimeout(timer);
      try {
        await ask(() => isOpen && (stream ??= listen()));
      } catch (error) {
        const isGone = error instanceof Problem && error.status === 404; // access to it was lost
        const seen = isGone ? await recall(id) : null;
        if (isGone) stream?.stop();
        set((it) => {
          if (isGone) return { ...NOTHING, lost: it.game ?? it.lost ?? seen?.game ?? null, error };
          return { ...it, ...(it.isSeen && !isTransient(error) && NOTHING), error };
        });
        if (isOpen && isTransient(error)) timer = setTimeout(look, RETRY);
      }
    };
    const soon = () => {
      clearTimeout(timer);
      timer = setTimeout(look, SOON);
    };
    const listen = () => {
      const stream = follow(`${base}/stream?presence=true&${word}`, (item, name) => {
        if (name === "said") kept.current.said.set(item);
        if (name === "present") kept.current.here.set(item.seats);
        if (name === "reset") forget();
        if (name !== "present") kept.current.changes.set(kept.current.changes.get() + 1); // "changed" may be lost beside other news
        if (name === "reset" || name === "changed") soon();
        if (name) return; // not a game event
        learn([item]);
        soon();
      }, kept.current.story.at(-1)?.seq ?? 0);
      stream.state.watch(setLive);
      stream.state.watch((live) => live !== "live" && kept.current.here.set([]));
      return stream;
    };
    kept.current.look = look;
    look();
    const unwatch = isOnline.watch((online) => online && soon());
    return () => {
      isOpen = false;
      clearTimeout(timer);
      unwatch();
      stream?.stop();
    };
  }, [id, invitation]);

  const look = () => kept.current.look();

  /**
   * Play a move for this turn. Without a response, the same request is retried; the server counts it once.
   * @param {number} turn
   * @param {Move} move
   * @param {() => void} [waits] called when a response is missing
   */
  async function play(turn, move, waits) {
    const sent = toSend(id);
    try {
      sent.keep(turn, move);
      /** @type {MoveAnswer} */
      const answer = await callUntilAnswered("POST", `${base}/moves`, { turn, move }, waits);
      sent.forget();
      const { version, view, you, to_act: asked } = answer;
      kept.current.played.push(...answer.events);
      set((it) => {
        const seats = it.game?.seats.map((one) => ({ ...one, to_act: asked?.includes(one.seat) ?? one.to_act }));
        const game = /** @type {Game} */ ({ ...it.game, version, view, you, seats });
        return { ...it, game, story: learn(answer.events), legal: null };
      });
    } catch (error) {
      if (error instanceof Problem) sent.forget(); // the server answered
      throw error;
    } finally {
      look();
    }
  }

  const turn = known.game?.you?.turn ?? null;
  useEffect(() => { // resend a move that was confirmed before the page was closed without a response
    const kept = turn === null ? null : toSend(id).kept();
    if (!kept) return;
    if (kept.turn === turn) play(turn, kept.move).catch(() => {});
    else if (!known.isSeen) toSend(id).forget();
  }, [turn !== null && id, known.isSeen]);
  useEffect(() => {
    if (!id || !known.game || known.isSeen || word || known.game.status === "open") return;
    const { game, story, legal } = known;
    const timer = setTimeout(() => keep(id, { player: me.get(), game, story, legal }), CALM);
    return () => clearTimeout(timer);
  }, [known]);

  /**
   * @param {number} turn
   * @param {Move} move
   * @returns {Promise<Foresight>}
   */
  const preview = (turn, move) => call("POST", `${base}/moves?dry_run=true`, { turn, move });

  const { played, said, here, changes } = kept.current;
  const language = useStore(spoken); // its words may load after the game
  const game = useMemo(() => known.game && numbered(known.game), [known.game, language]);
  return { ...known, game, played, said, here, changes, live, look, play, preview, base, word };
}

/**
 * Store a confirmed move until the server responds, so that it survives a reload.
 * @param {string | null} game
 */
function toSend(game) {
  const key = `sternenpost.move.${me.get()?.id}.${game}`;
  return {
    /** @type {(turn: number, move: Move) => void} */
    keep: (turn, move) => void (link || forGood.setItem(key, JSON.stringify({ turn, move }))),
    forget: () => forGood.removeItem(key),
    /** @returns {{turn: number, move: Move} | null} */
    kept: () => JSON.parse((!link && forGood.getItem(key)) || "null"),
  };
}

/** @param {unknown} error */
export const isStale = (error) => error instanceof Problem && error.code === "stale-turn";
