// Actions during a game other than moves: take a move back, vote, leave.
import { html, useRef } from "../ui/html.js";
import { useStore } from "../ui/store.js";
import { absolute, left } from "../ui/times.js";
import { isAmongBots } from "../ui/waiting-for-me.js";
import { t } from "../ui/words.js";
import { Sorry, useSubmit } from "../ui/parts.js";
import { Leave, Mails, Sure, Terms } from "../table/actions.js";
import { castVote, present, requestsIn, TakeBack, useOutcome, votes } from "./requests.js";
/** @import { SeatedTable, SeenTable, Votes } from "../ui/types" */
/** @typedef {Exclude<keyof Votes, "take-back" | "refusals">} Wish */

/**
 * Show the votes and actions that are available during the game.
 * @param {{table: SeenTable}} props
 */
export function Actions({ table }) {
  const { game, base } = table;
  const known = useStore(votes);
  const found = known?.base === base ? known.votes : null;
  /** @type {Wish[]} */
  const wishes = game.status === "paused" ? ["resume", "abandon"] : ["pause", "abandon"];
  if (game.seats.some((it) => it.stand_in)) wishes.push("offer");
  const isOpen = useRef(false); // stays open after the player withdraws their vote
  isOpen.current ||= !!found && wishes.some((wish) => found[wish].length);
  return html`${found && game.status === "running" && html`<${TakingBack} table=${table} votes=${found} />`}
  <details class="card" open=${isOpen.current}><summary>${t("actions")}</summary>
    <${Terms} game=${game} />
    ${found && wishes.map((wish) => html`<${Vote} key=${wish} table=${table} wish=${wish} votes=${found} />`)}
    <${Mails} game=${game} />
    <${Leave} table=${table} />
  </details>`;
}

/**
 * Show the pending take-back request or, on the player's turn, the button that takes back their own last move. Against
 * bots, it stands in the status line. Afterwards, say what came of the request.
 * @param {{table: SeenTable, votes: Votes}} props
 */
function TakingBack({ table, votes }) {
  const asked = votes["take-back"];
  const outcome = useOutcome(table, "take-back");
  if (asked) return html`<${TakeBackAsked} table=${table} asked=${asked} />`;
  const { game } = table;
  return html`${outcome && html`<p>${outcome}</p>`}${game.options.take_back !== "never" && game.you?.turn != null && !isAmongBots(game)
    && html`<${TakeBack} table=${table} />`}`;
}

/** @param {{table: SeenTable, asked: NonNullable<Votes["take-back"]>}} props */
function TakeBackAsked({ table, asked }) {
  const { game } = table;
  const seat = game.you?.seat ?? -1;
  const isMine = asked.seat === seat;
  const agrees = asked.consents.includes(seat);
  const [busy, error, answer] = useSubmit(async () => {
    await castVote(table, "take-back", !isMine && !agrees);
    table.look();
  });
  const name = game.seats[asked.seat].name ?? "";
  const names = asked.consents.filter((it) => it !== asked.seat).map((it) => game.seats[it].name).join(", ");
  const due = t("due", { absolute: absolute(asked.ends_at), left: left(asked.ends_at) });
  return html`<section class="card" aria-labelledby="take-back">
    <h2 id="take-back">${isMine ? t("take-back.mine") : t("take-back.asked", { name })}</h2>
    <p>${t("take-back.what", { moves: asked.undoes.join(" ") })} ${t("take-back.ends")} <time datetime=${asked.ends_at}>${due}</time></p>
    ${names && html`<p>${t("take-back.agree-so-far", { names })}</p>`}
    <p class="row">
      ${isMine || agrees
        ? html`<button key="no" class="plain" disabled=${busy} onClick=${answer}>${
          t(isMine ? "take-back.withdraw" : "take-back.no-more")}</button>`
        : html`<button key="yes" disabled=${busy} onClick=${answer}>${t("take-back.yes")}</button>
          <span>${t("take-back.silence")}</span>`}
    </p>
    ${error && html`<${Sorry} error=${error} />`}
  </section>`;
}

/**
 * Show the button that votes for a wish or withdraws the vote, and beside it what came of the player's own vote. A vote that ends the game at once asks first.
 * @param {{table: SeatedTable, wish: Wish, votes: Votes}} props
 */
function Vote({ table, wish, votes }) {
  const seats = votes[wish];
  const mine = seats.includes(table.game.you.seat);
  const others = present(table.game).filter((it) => it !== table.game.you.seat);
  const words = t(mine ? `vote.withdraw.${wish}` : others.length ? `vote.${wish}` : `vote.alone.${wish}`);
  const place = useRef();
  const cast = async () => {
    await castVote(table, wish, !mine);
    setTimeout(() => place.current?.scrollIntoView({ block: "nearest" })); // once it has grown
    table.look(); // not awaited, so that the button is enabled as soon as the vote is counted
  };
  const [busy, error, vote] = useSubmit(cast);
  const names = seats.map((seat) => table.game.seats[seat].name).join(", ");
  const inFavour = names && t("vote.for", { names });
  if (wish === "abandon" && !mine && others.every((it) => seats.includes(it))) return html`<${Sure} words=${words}
    question=${[inFavour, t("vote.abandon.sure")].filter(Boolean).join(". ")} act=${cast} />`;
  const outcome = useOutcome(table, wish);
  const told = mine ? requestsIn(table.game, votes, [wish])[0].told : [outcome, inFavour].filter(Boolean).join(" "); // the line above the table may be out of view
  return html`<p class="row" ref=${place}><button class="plain" disabled=${busy} onClick=${vote}>${words}</button>
    <span role="status">${told}</span>${error && html`<${Sorry} error=${error} />`}</p>`;
}
