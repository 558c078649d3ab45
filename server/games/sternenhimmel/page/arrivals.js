// Animations at a table of Sternenhimmel: stars fly to their spaces, and coins are paid.
import { useEffect, useRef } from "../ui/html.js";
import { fly, pauses, pay, PAUSE } from "../table/motion.js";
/** @import { Table } from "./types" */

/**
 * Animate the player's own star from their hand once its space is chosen, and other players' moves one by one.
 * @param {{place: {current: any}, table: Table, at: number | null,
 *   chosen: {star: number | null, space: {board: string, space: string} | null}}} props
 */
export function Arrivals({ place, table: { game, story }, at, chosen: { star, space } }) {
  const told = useRef(game.version);
  useEffect(() => {
    const held = place.current.querySelector(".hand [aria-pressed=true]");
    if (star !== null) fly(place.current.querySelector(".space.chosen .lying"), held?.getBoundingClientRect());
  }, [star, space?.board, space?.space]);
  useEffect(() => {
    const fresh = story.filter((it) => it.version > told.current && it.version <= game.version);
    told.current = game.version;
    if (at !== null) return;
    const scores = (/** @type {number | null} */ seat) =>
      (document.querySelector(`[data-score="${seat}"]`) ?? place.current).getBoundingClientRect();
    const others = fresh.filter((it) => it.type === "star-placed" && it.seat !== game.you?.seat);
    const late = pauses(others, game.seats);
    others.forEach(({ seat, board, space }, i) =>
      fly(place.current.querySelector(`[data-board="${board}"] [data-at="${space}"] .lying`), scores(seat), late[i]));
    for (const it of fresh) {
      if (it.type !== "board-scored") continue;
      const sky = place.current.querySelector(".boards").getBoundingClientRect();
      it.payouts.forEach((count, seat) => pay(count, sky, scores(seat), PAUSE));
    }
  }, [game.version]);
  return null;
}
