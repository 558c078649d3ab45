// The link to the next game that waits for the player.
import { html, useEffect, useRef } from "../ui/html.js";
import { toGame } from "../ui/routes.js";
import { useStore } from "../ui/store.js";
import { lookForWaiting, waiting } from "../ui/waiting-for-me.js";
import { t } from "../ui/words.js";
/** @import { Game } from "../ui/types" */

/**
 * Link to the most urgent other game when this one needs nothing from the player.
 * @param {{game: Game}} props
 */
export function Next({ game }) {
  const [next] = useStore(waiting).filter((it) => it.id !== game.id);
  const turn = game.you?.turn ?? null;
  const before = useRef(turn);
  useEffect(() => {
    if (before.current !== turn) lookForWaiting();
    before.current = turn;
  }, [turn]);
  if (turn !== null || !next) return null;
  return html`<a class="next" href=${toGame(next.id)}>${t("games.next", { title: next.title })}</a>`;
}
