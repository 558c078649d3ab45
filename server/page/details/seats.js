// The seats of a table: players, what each one has, and whose turn it is.
import { html } from "../ui/html.js";
import { Avatar } from "../ui/avatar.js";
import { GAMES, scoresOf } from "../ui/games.js";
import { absolute, lastMinute } from "../ui/times.js";
import { useStore } from "../ui/store.js";
import { t } from "../ui/words.js";
import { Due, personName, SeatName } from "../ui/game-words.js";
import { isStandIn } from "../ui/waiting-for-me.js";
import { Rematch } from "../table/actions.js";
import { awayInWords, hasResigned } from "../table/story.js";
import { SeatMark } from "../ui/seat-shapes.js";
/** @import { Seat, SeenTable, View } from "../ui/types" */

/** @param {{table: SeenTable, view?: View | null, isPast?: boolean}} props */
export function Seats({ table, view, isPast = false }) {
  const { game, here, story } = table;
  const present = useStore(here);
  const isHere = (/** @type {Seat} */ it) => present.includes(it.seat) && !it.stand_in; // a player who resigned may still look on
  const { score: won = "points", held = "cards-in-hand" } = GAMES[game.rules] ?? {};
  const outcome = isPast ? null : game.outcome;
  const scores = scoresOf({ rules: game.rules, outcome }, view);
  return html`<section class="card seats" aria-label=${t("seats")}>
    <h2>${t("seats")}</h2>
    <ul>${game.seats.map((/** @type {Seat} */ it) => html`<li key=${it.seat} class=${it.to_act && !isPast ? "asked" : ""}>
      <${SeatMark} seat=${it.seat} />
      ${it.player && html`<span class=${isHere(it) ? "face here" : "face"}><${Avatar} id=${it.player}
        program=${it.program} size=${28} />${isHere(it) && html`<span class="unseen">${t("here")}</span>`}</span>`}
      <span class="who"><strong><${SeatName} game=${game.id} seat=${it} /></strong>${it.seat === game.you?.seat && !isStandIn(game) ? ` (${t("you")})` : ""}
        ${it.level && html`<br /><small>${t(`opponents.${it.level}`)}</small>`}
        ${it.seat === game.host && html`<br /><small>${t("host")}</small>`}
        ${it.stand_in && (outcome ? hasResigned(story, it.seat) && html`<br /><small>${t("resigned")}</small>`
          : html`<br /><small>${awayInWords(story, it)}</small>`)}
        ${it.stood_in_by && html`<br /><small>${t(it.seat === game.you?.seat && isStandIn(game)
          ? "stood-in.you" : "stood-in", { name: personName(it.stood_in_by), until: absolute(lastMinute(it.stood_in_by.until)) })}</small>`}
        ${it.unreachable && html`<br /><small>${t("unreachable")}</small>`}
      </span>
      ${scores && html`<span class="score">${t(won, { count: scores[it.seat] })}
        ${outcome && html`<small class="place">${t("place", { place: outcome.places[it.seat] })}</small>`}
        ${view?.hand_sizes && !outcome && html`<small>${t(held, { count: view.hand_sizes[it.seat] })}</small>`}</span>`}
      ${it.to_act && !isPast && html`<small class="turn">${t("to-act")}${it.due_at && html` · <${Due} at=${it.due_at} />`}</small>`}
    </li>`)}</ul>
    ${view && html`<${Rematch} table=${table} />`}
    ${view?.stack !== undefined && !outcome && html`<p class="faint">${t("stack", { count: view.stack })}</p>`}
  </section>`;
}
