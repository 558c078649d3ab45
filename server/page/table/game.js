// A game as it goes on: looked at once, then followed by its stream.
import { useEffect, useRef, useState } from "../ui/html.js";
import { call, callUntilAnswered, isTransient, Problem } from "../ui/api.js";
import { isOnline } from "../ui/connection.js";
import { numbered } from "../ui/game-card.js";
import { RETRY } from "../ui/parts.js";
import { store } from "../ui/store.js";
import { follow } from "../ui/stream.js";
/** @import { Foresight, Game, GameEvent, LegalMoves, Live, Message, Move, MoveAnswer, Table } from "../ui/types" */

const SOON = 40; // milliseconds in which several events are one reason to look again

/**
 * What the reader may know of a game: `game`, its `story`, the moves open to him (`legal`), what came of those that he
 * `played` here, whether news come by themselves (`live`), and what is `said` meanwhile; and `look` to look again, `play`
 * to move. Without an id it stays as it is.
 * @param {string | null} id
 * @param {string | null} [invitation]
 * @returns {Table}
 */
export function useGame(id, invitation) {
  const [known, set] = useState(/** @type {Pick<Table, "game" | "story" | "legal" | "error">} */ (
    { game: null, story: [], legal: null, error: null }));
  const [live, setLive] = useState(/** @type {Live} */ ("away"));
  const kept = useRef(/** @type {Pick<Table, "story" | "played" | "said" | "look">} */ (
    { story: [], played: [], said: store(/** @type {Message | null} */ (null)), look: async () => {} }));
  const word = invitation ? `invitation=${encodeURIComponent(invitation)}` : "";
  const base = `/v1/games/${id}`;

  /** @param {GameEvent[]} items */
  function learn(items) {
    const seen = new Set(kept.current.story.map((it) => it.seq));
    const fresh = items.filter((it) => !seen.has(it.seq));
    if (fresh.length) kept.current.story = [...kept.current.story, ...fresh].sort((one, other) => one.seq - other.seq);
    return kept.current.story;
  }

  async function ask() {
    const after = kept.current.story.at(-1)?.seq ?? 0;
    const [plain, news] = await Promise.all([
      call("GET", `${base}?${word}`),
      call("GET", `${base}/events?after=${after}&${word}`),
    ]);
    const game = numbered(/** @type {Game} */ (plain));
    /** @type {LegalMoves | null} */
    const legal = game.you?.turn != null ? await call("GET", `${base}/legal-moves`) : null;
    const story = learn(news.items);
    /** @param {Pick<Table, "game">} it */
    const isLate = (it) => it.game && it.game.version > game.version; // a later question was answered sooner
    set((it) => (isLate(it) ? { ...it, story } : { game, story, legal, error: null }));
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
        await ask();
        if (isOpen) stream ??= listen();
      } catch (error) {
        set((it) => ({ ...it, error }));
        if (isOpen && isTransient(error)) timer = setTimeout(look, RETRY);
      }
    };
    const soon = () => {
      clearTimeout(timer);
      timer = setTimeout(look, SOON);
    };
    const listen = () => {
      const stream = follow(`${base}/stream?${word}`, (item, name) => {
        if (name === "said") kept.current.said.set(item);
        if (name) return; // no part of the story
        learn([item]);
        soon();
      }, kept.current.story.at(-1)?.seq ?? 0);
      stream.state.watch(setLive);
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
   * Plays a move for the turn that was asked. If no answer comes, the very same is sent again: it counts once.
   * @param {number} turn
   * @param {Move} move
   * @param {() => void} [waits] called when no answer came
   */
  async function play(turn, move, waits) {
    try {
      /** @type {MoveAnswer} */
      const answer = await callUntilAnswered("POST", `${base}/moves`, { turn, move }, waits);
      const { version, view, you } = answer;
      kept.current.played.push(...answer.events);
      set((it) => {
        const game = /** @type {Game} */ ({ ...it.game, version, view, you });
        return { ...it, game, story: learn(answer.events), legal: null };
      });
    } finally {
      look();
    }
  }

  /**
   * @param {number} turn
   * @param {Move} move
   * @returns {Promise<Foresight>}
   */
  const preview = (turn, move) => call("POST", `${base}/moves?dry_run=true`, { turn, move });

  const { played, said } = kept.current;
  return { ...known, played, said, live, look, play, preview, base, word };
}

/** @param {unknown} error */
export const isStale = (error) => error instanceof Problem && error.code === "stale-turn";
