// A small picture of a game's table, drawn by the server and loaded when scrolled into view.
import { html, useEffect, useRef, useState } from "./html.js";
import { picture } from "./api.js";
import { locale } from "./words.js";
/** @import { GameSummary } from "./types" */

/** @type {Map<string, Promise<string>>} */
const drawn = new Map(); // object URLs, so that re-rendering a list fetches nothing

/** @param {GameSummary} game */
function addressOf(game) {
  const isOver = game.status === "finished"; // the table may be empty at the end
  const asked = `/v1/games/${game.id}/picture.svg?theme=dark&thumbnail=true&${isOver ? "fullest=true" : `at=${game.version}`}`;
  const key = `${asked} ${locale()}`;
  const address = drawn.get(key) ?? picture(asked).then((it) => URL.createObjectURL(it));
  address.catch(() => drawn.delete(key));
  drawn.set(key, address);
  return address;
}

/** @param {{game: GameSummary}} props */
export function Thumbnail({ game }) {
  const place = useRef();
  const [address, set] = useState("");
  useEffect(() => {
    const seen = new IntersectionObserver(([it]) => {
      if (!it.isIntersecting) return;
      seen.disconnect();
      addressOf(game).then(set, () => {}); // the picture is optional
    });
    seen.observe(place.current);
    return () => seen.disconnect();
  }, [game.id, game.version]);
  return html`<div class="thumbnail" ref=${place}>${address && html`<img src=${address} alt="" />`}</div>`;
}
