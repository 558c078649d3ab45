// A game as it goes on: looked at once, then followed by its stream.
import { useEffect, useRef, useState } from "../html.js";
import { call, insist, Problem } from "../api.js";
import { isOnline } from "../line.js";
import { follow } from "../stream.js";

const SOON = 40; // milliseconds in which several events are one reason to look again

/**
 * What the reader may know of a game: `game`, its `story`, the moves open to him (`legal`) and whether news come by
 * themselves (`live`); and `look` to look again, `play` to move.
 */
export function useGame(id, invitation) {
  const [known, set] = useState({ game: null, story: [], legal: null, error: null });
  const [live, setLive] = useState("away");
  const kept = useRef({ story: [] });
  const word = invitation ? `invitation=${encodeURIComponent(invitation)}` : "";
  const base = `/v1/games/${id}`;

  function learn(items) {
    const seen = new Set(kept.current.story.map((it) => it.seq));
    const fresh = items.filter((it) => !seen.has(it.seq));
    if (fresh.length) kept.current.story = [...kept.current.story, ...fresh].sort((one, other) => one.seq - other.seq);
    return kept.current.story;
  }

  async function look() {
    try {
      const after = kept.current.story.at(-1)?.seq ?? 0;
      const [game, news] = await Promise.all([
        call("GET", `${base}?${word}`),
        call("GET", `${base}/events?after=${after}&${word}`),
      ]);
      const legal = game.you?.turn != null ? await call("GET", `${base}/legal-moves`) : null;
      set({ game, story: learn(news.items), legal, error: null });
      return true;
    } catch (error) {
      set((it) => ({ ...it, error }));
      return false;
    }
  }

  useEffect(() => {
    let timer = null;
    let stream = null;
    const soon = () => {
      clearTimeout(timer);
      timer = setTimeout(look, SOON);
    };
    const begin = async () => {
      if (stream || !(await look()) || stream) return;
      stream = follow(`${base}/stream?${word}`, (item) => {
        learn([item]);
        soon();
      }, kept.current.story.at(-1)?.seq ?? 0);
      stream.state.watch(setLive);
    };
    begin();
    const unwatch = isOnline.watch((online) => online && (stream ? soon() : begin()));
    return () => {
      clearTimeout(timer);
      unwatch();
      stream?.stop();
    };
  }, [id, invitation]);

  /** Plays a move for the turn that was asked. If no answer comes, the very same is sent again: it counts once. */
  async function play(turn, move, waits) {
    try {
      const answer = await insist("POST", `${base}/moves`, { turn, move }, waits);
      const { version, view, you } = answer;
      set((it) => ({ ...it, game: { ...it.game, version, view, you }, story: learn(answer.events), legal: null }));
    } finally {
      look();
    }
  }

  const foresee = (turn, move) => call("POST", `${base}/moves?dry_run=true`, { turn, move });

  return { ...known, live, look, play, foresee, base, word };
}

export const isStale = (error) => error instanceof Problem && error.code === "stale-turn";
