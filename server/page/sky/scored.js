// A constellation as it was scored: what was swallowed, and what each star was worth.
import { html } from "../html.js";
import { t } from "../words.js";
import { boardName, starName } from "../table/story.js";
import { Board } from "./board.js";

export function Scored({ item, names, rules }) {
  const board = rules.boards.find((it) => it.id === item.board);
  const lying = Object.fromEntries(item.placements.map((it) => [it.space, it]));
  const gone = new Set([...item.annihilated, ...item.swallowed]);
  const name = ({ id }) => t(gone.has(id) ? "scored.gone" : "scored.counts", {
    space: id, name: names[lying[id].seat], star: starName(lying[id].star), value: item.values[id],
  });
  return html`<details class="scored"><summary>${t("scored")}</summary>
    <${Board} board=${board} title=${boardName(board.id, rules)} lying=${lying} name=${name}
      marks=${(id) => (gone.has(id) ? "gone" : "")} values=${item.values} />
    <ul>${item.transfers.map((it, i) => html`<li
      key=${i}>${paid(it, names)}</li>`)}</ul>
  </details>`;
}

const paid = ({ reason, from, to, amount }, names) =>
  t(`paid.${reason}`, { name: names[to], count: amount, from: from === "bank" ? t("bank") : names[from] });
