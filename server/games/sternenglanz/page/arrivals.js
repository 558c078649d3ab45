// Animations at a table of Sternenglanz: stars fly to their fields, and cards move along.
import { useEffect, useRef } from "../ui/html.js";
import { fly, pauses, useMoving } from "../table/motion.js";
/** @import { Table } from "./types" */

/**
 * Animate other players' moves one by one: new stars fly from their player, moved stars from their old field.
 * @param {{place: {current: any}, table: Table, at: number | null}} props
 */
export function Arrivals({ place, table: { game, story }, at }) {
  const told = useRef(game.version);
  useMoving(place);
  useEffect(() => {
    const fresh = story.filter((it) => it.version > told.current && it.version <= game.version);
    told.current = game.version;
    if (at !== null) return;
    const field = (/** @type {string} */ id) => place.current.querySelector(`[data-field="${id}"]`);
    const lying = (/** @type {string} */ id) => field(id)?.querySelector(".piece");
    const others = fresh.flatMap((it) => {
      if (it.seat === game.you?.seat) return [];
      if (it.type === "star-moved") {
        return [{ seat: it.seat, to: it.path[it.path.length - 1], from: field(it.path[0]) }];
      }
      if (it.type !== "star-laid" && it.type !== "supernova-laid") return [];
      return [{ seat: it.seat, to: it.field, from: document.querySelector(`[data-score="${it.seat}"]`) ?? place.current }];
    });
    const late = pauses(others, game.seats);
    others.forEach(({ to, from }, i) => fly(lying(to), from?.getBoundingClientRect(), late[i]));
  }, [game.version]);
  return null;
}
