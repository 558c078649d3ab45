// What a stranger sees first: the sky of this evening, what is played here, and where to sign in.
import { html } from "../ui/html.js";
import { cached } from "../ui/api.js";
import { locale, t } from "../ui/words.js";
import { title } from "../ui/game-card.js";
import { useLoaded } from "../ui/parts.js";
import { Backdrop } from "../ui/night-sky.js";
import { sparkle } from "../ui/seat-shapes.js";
import { SignIn } from "./sign-in.js";
/** @import { Rules } from "../sternenhimmel/types" */

const GAMES = ["sternenhimmel", "sternenglanz"];
const RADII = { large: 4.6, small: 2.9 };

export function Welcome() {
  return html`<div class="welcome">
    <section class="evening">
      <svg class="far" viewBox="0 0 100 100" preserveAspectRatio="xMidYMid slice"><${Backdrop} seed="welcome" /></svg>
      <${Evening} />
      <div><h1>${t("welcome")}</h1><p>${t("welcome.how")}</p></div>
    </section>
    <div class="door"><${SignIn} /></div>
    <ul class="cards">${GAMES.map((name) => html`<li class="card">
      <h2>${title(name)}</h2>
      <p>${t(`welcome.${name}`)}</p>
      <p class="row"><a href=${`#/rules/${name}`}>${t("welcome.rules", { game: title(name) })}</a> <a
        href=${`#/lobby?rules=${name}`}>${t("welcome.lobby", { game: title(name) })}</a></p>
    </li>`)}</ul>
  </div>`;
}

/** The constellation of the zodiac that stands in the south at ten in the evening, in the middle of this month. */
function Evening() {
  const [found] = useLoaded(() => cached("/v1/rules/sternenhimmel"), []);
  const rules = /** @type {Rules | null} */ (found);
  const board = rules?.boards[(new Date().getMonth() + 1) % 12];
  if (!board) return html`<svg viewBox="0 0 100 100" aria-hidden="true" />`;
  /** @type {Record<string, [x: number, y: number]>} */
  const at = Object.fromEntries(board.spaces.map((it) => [it.id, [100 * it.x, 100 * it.y]]));
  const name = board.name[locale()];
  return html`<svg viewBox="-6 -6 112 112" role="img" aria-label=${t("welcome.evening", { name })}>
    ${board.lines.map(([one, other]) => html`<line class="line" x1=${at[one][0]} y1=${at[one][1]} x2=${at[other][0]}
      y2=${at[other][1]} />`)}
    ${board.spaces.map(({ id, size }) => html`<path class="twinkling" d=${sparkle(...at[id], RADII[size])} />`)}
  </svg>`;
}
