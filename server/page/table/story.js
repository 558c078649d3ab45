// What happened, in words: a sentence for each item of a story.
import { html, useState } from "../html.js";
import { absolute } from "../moments.js";
import { knows, listed, locale, t } from "../words.js";
import { Scored } from "../sky/scored.js";

/** The items since the reader's own last move; all of them for a spectator. */
export function sinceOwnTurn(story, seat) {
  const last = story.findLast((it) => it.seat === seat && OWN.has(it.type));
  return last ? story.filter((it) => it.version > last.version) : story;
}

const OWN = new Set(["star-placed", "cards-laid", "cards-chosen", "star-laid", "star-moved", "star-removed"]);

/** The item as a sentence, or null where there is nothing worth telling. */
export function sentence(item, names, rules) {
  const key = `story.${item.type}`;
  if (item.type === "board-scored" && item.totals.every((it) => it === null)) {
    return t("story.board-void", { board: boardName(item.board, rules) });
  }
  if (item.type === "time-ran-out" && item.bot) return t("story.bot-moved", { name: names[item.seat], bot: item.bot });
  if (!knows(key)) return null;
  return t(key, {
    name: names[item.seat],
    board: item.board && boardName(item.board, rules),
    space: item.space,
    star: item.type === "star-placed" && starName(item.star),
    bot: item.bot,
    totals: item.totals && totals(item, names),
    names: item.places && listed(names.filter((_, seat) => item.places[seat] === 1)),
    score: item.scores && Math.max(...item.scores),
    field: item.field ?? item.path?.join(" "),
    slot: item.slot,
    turn: item.turn,
  });
}

export const starName = (star) => {
  if (star === null) return t("star.hidden");
  return knows(`star.${star}`) ? t(`star.${star}`) : t("star.number", { value: star });
};

export const boardName = (id, rules) => rules.boards.find((it) => it.id === id)?.name[locale()] ?? id;

const totals = (item, names) =>
  listed(item.totals.flatMap((total, seat) => {
    const gained = item.payouts[seat];
    if (total === null) return [];
    return [`${names[seat]} ${total}${gained ? ` (${t("coins-gained", { count: signed(gained) })})` : ""}`];
  }));

const signed = (number) => (number > 0 ? `+${number}` : String(number));

export function Story({ story, seat, names, rules, showAt }) {
  const [whole, setWhole] = useState(false);
  const items = whole || seat === undefined ? story : sinceOwnTurn(story, seat);
  const told = items.map((item) => [item, sentence(item, names, rules)]).filter(([, words]) => words).reverse();
  return html`<section class="card story" aria-label=${t("story")}>
    <h2>${whole || seat === undefined ? t("story") : t("story.since")}</h2>
    ${told.length === 0 && html`<p class="faint">${t("story.nothing")}</p>`}
    <ol reversed>${told.map(([item, words]) => html`<li key=${item.seq}>
      ${words} <button class="moment" onClick=${() => showAt(item.version)}
        aria-label=${t("story.look", { when: absolute(item.at) })}><time
        datetime=${item.at}>${absolute(item.at)}</time></button>
      ${item.type === "board-scored" && html`<${Scored} item=${item} names=${names} rules=${rules} />`}
    </li>`)}</ol>
    ${seat !== undefined && html`<button class="plain"
      onClick=${() => setWhole(!whole)}>${t(whole ? "story.since" : "story.all")}</button>`}
  </section>`;
}
