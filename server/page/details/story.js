// The story of a game, move by move.
import { html, useState } from "../ui/html.js";
import { absolute, brief } from "../ui/times.js";
import { useStore } from "../ui/store.js";
import { t } from "../ui/words.js";
import { rooms, sentence, sinceOwnTurn, standing, ways } from "../table/story.js";
/** @import { GameEvent, RulesDescription } from "../ui/types" */

/**
 * Group the items by move, latest first. `told` pairs each item with its sentence.
 * @param {GameEvent[]} items
 * @param {string[]} names
 * @param {RulesDescription} rules
 * @param {number} [seat]
 */
function movesOf(items, names, rules, seat) {
  /** @type {{version: number, at: string, told: [item: GameEvent, words: string][]}[]} */
  const moves = [];
  for (const item of items) {
    const words = sentence(item, names, rules, seat);
    if (!words) continue;
    const last = moves.at(-1);
    if (last?.version === item.version) last.told.push([item, words]);
    else moves.push({ version: item.version, at: item.at, told: [[item, words]] });
  }
  return moves.reverse();
}

const FEW = 3; // moves shown if nothing has happened since the player's last one

/**
 * @param {{story: GameEvent[], seat?: number, names: string[], rules: RulesDescription,
 *   showAt: (version: number) => void}} props
 */
export function Story({ story, seat, names, rules, showAt }) {
  const [whole, setWhole] = useState(false);
  useStore(rooms);
  const beside = useStore(ways);
  const news = whole || seat === undefined ? [] : movesOf(sinceOwnTurn(standing(story), seat), names, rules, seat);
  const most = whole || seat === undefined ? Infinity : FEW;
  const moves = news.length ? news : movesOf(story, names, rules, seat).slice(0, most);
  return html`<section class="card story" data-game=${rules.name} aria-label=${t("story")}>
    <h2>${t(news.length ? "story.since" : "story")}</h2>
    ${moves.length === 0 && html`<p class="faint">${t("story.nothing")}</p>`}
    <ol reversed>${moves.map(({ version, at, told }) => html`<li key=${version}>
      ${told.map(([item, words]) => html`<div key=${item.seq}>${words}
        ${item.type in beside && html`<${beside[item.type]} item=${item} rules=${rules} />`}</div>`)}
      <button class="moment" onClick=${() => showAt(version)} aria-label=${t("story.look", { when: absolute(at) })}><time
        datetime=${at}>${brief(at)}</time></button>
    </li>`)}</ol>
    ${seat !== undefined && html`<button class="plain"
      onClick=${() => setWhole(!whole)}>${t(whole ? "story.since" : "story.all")}</button>`}
  </section>`;
}
