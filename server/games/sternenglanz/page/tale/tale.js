// The tale of a finished game: changes of the lead, completed Sternbilder, the best turn, and how it was decided.
import { html } from "../../ui/html.js";
import { listed, t, tell } from "../../ui/words.js";
import { bildName } from "../cards.js";
import { gains } from "../story.js";
/** @import { Cards, SternenglanzEvent } from "../types" */

const MOST = 4; // changes of the lead described one by one

/** @param {{story: SternenglanzEvent[], names: string[], cards: Cards, seat?: number}} props */
export const Tale = ({ story, names, cards, seat }) => html`<section class="tale" aria-label=${t("tale")}>
  <h3>${t("tale")}</h3><p>${tale(story, names, cards, seat).join(" ")}</p></section>`;

/**
 * Return the game in a few sentences. The seat `own` is the reader's.
 * @param {SternenglanzEvent[]} story
 * @param {string[]} names
 * @param {Cards} cards
 * @param {number} [own]
 */
export function tale(story, names, cards, own) {
  const points = names.map(() => 0);
  /** @type {{words: string, isLead: boolean}[]} */
  const told = [];
  let best = { turn: 0, seat: 0, points: 0 };
  let present = best;
  let ahead = -1;
  for (const item of story) {
    if (item.type === "turn-began") present = { turn: item.turn, seat: item.seat, points: 0 };
    const { turn } = present;
    if (item.type === "sternbild-completed") told.push({ isLead: false,
      words: tell("tale.turn.bild", item.seat === own, { turn, name: names[item.seat],
        bild: t("quoted", { name: bildName(item.sternbild, cards) }) }) });
    gains(item).forEach(([seat, gained]) => {
      points[seat] += gained;
      if (seat === present.seat) present.points += gained;
    });
    if (present.points > best.points) best = { ...present };
    const most = Math.max(...points);
    const first = points.filter((it) => it === most).length === 1 ? points.indexOf(most) : ahead;
    if (first === ahead) continue;
    ahead = first;
    told.push({ isLead: true, words: tell("tale.turn.ahead", first === own, { turn, name: names[first],
      points: t("points", { count: most }) }) });
  }
  const leads = told.filter((it) => it.isLead);
  const omitted = new Set(leads.slice(1, 1 - MOST)); // keeps the first and the last ones
  const end = story.findLast((it) => it.type === "game-decided");
  return [
    ...told.filter((it) => !omitted.has(it)).map((it) => it.words),
    omitted.size > 0 && t("tale.turn.changes", { count: omitted.size }),
    best.points > 0 && tell("tale.turn.best", best.seat === own, { turn: best.turn, name: names[best.seat],
      points: t("points", { count: best.points }) }),
    end && `${t(`story.why.${end.reason}`)} ${
      tell("tale.turn.end", end.winners.join() === String(own), { names: listed(end.winners.map((it) => names[it])) })}`,
  ].filter(Boolean);
}
