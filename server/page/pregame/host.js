// The host's actions before the start: extend the deadline, free a seat, or close the table.
import { html, useEffect, useRef, useState } from "../ui/html.js";
import { call } from "../ui/api.js";
import { length } from "../ui/durations.js";
import { t } from "../ui/words.js";
import { OPPONENTS, seatName } from "../ui/game-words.js";
import { opponents } from "../ui/opponents.js";
import { Sorry, useLoaded, useSubmit } from "../ui/parts.js";
/** @import { Input, Seat, SeenTable } from "../ui/types" */

const MORE = "P14D";

/** @param {{table: SeenTable}} props */
export function Host({ table }) {
  const { game } = table;
  const guests = game.seats.filter((it) => it.kind === "human" && it.seat !== game.you?.seat);
  /** @type {(name: string, key: string, values: object, method: string, path: string, body?: object) => any} */
  const act = (name, key, values, method, path, body) => html`<${Action} key=${key} words=${t(`host.${name}`, values)}
    sure=${name === "keep" ? "" : t(`host.${name}.sure`, values)} table=${table} method=${method} path=${path}
    body=${body} />`;
  return html`<section class="host" aria-labelledby="host">
    <h3 id="host">${t("host.actions")}</h3>
    ${game.seats.filter((it) => it.kind === "open").map(({ seat }) => html`<${Bot} key=${`bot ${seat}`} table=${table} seat=${seat} />`)}
    ${act("keep", "keep", { length: length(MORE) }, "PATCH", "", { open_for: MORE })}
    ${guests.map((it) => act("send-away", `guest ${it.seat}`, { name: seatName(it) }, "DELETE", `/seats/${it.seat}`))}
    ${act("close", "close", {}, "DELETE", "")}
  </section>`;
}

/**
 * Let a bot take an open seat.
 * @param {{table: SeenTable, seat: number}} props
 */
function Bot({ table, seat }) {
  const [bot, set] = useState(opponents);
  const [busy, error, take] = useSubmit(async () => {
    await call("PUT", `${table.base}/seats/${seat}/bot`, { bot });
    await table.look();
  });
  return html`<div class="row bot"><label>${t("host.bot", { number: seat + 1 })}
      <select name="bot-${seat}" value=${bot} onChange=${(/** @type {Input} */ { target }) => set(target.value)}>
        ${OPPONENTS.map((it) => html`<option value=${it}>${t(`opponents.${it}`)}</option>`)}</select></label>
    <button type="button" class="plain" disabled=${busy} onClick=${take}
      aria-label=${t("host.bot.take", { number: seat + 1 })}>${t("host.bot.let")}</button>
    ${error && html`<${Sorry} error=${error} />`}</div>`;
}

/**
 * The host's view of the reserved seats: to which address or player we've written, if the host may know, and a button that
 * withdraws the invitation.
 * @param {{table: SeenTable, invited: Seat[]}} props
 */
export function Invitees({ table, invited }) {
  const [known] = useLoaded(() => call("GET", `${table.base}/invitations`), [table.game]);
  /** @type {{seat: number, email: string | null, name: string | null}[]} */
  const invitees = known?.items ?? [];
  return invited.map(({ seat, unreachable }) => {
    const { email, name } = invitees.find((it) => it.seat === seat) ?? {};
    const number = seat + 1;
    return html`<li key=${`${seat} ${email ?? name}`}>${email
      ? html`<${Invited} table=${table} seat=${seat} email=${email} isLost=${unreachable} />`
      : name ? t(unreachable ? "host.invited.lost" : "host.invited", { email: name, number })
      : t(unreachable ? "pregame.lost" : "pregame.invited", { seats: t("seat", { number }), count: 1 })}
      <${Action} words=${t("host.withdraw", { number })} sure=${t("host.withdraw.sure")} table=${table} method="DELETE" path=${`/invitations/${seat}`} /></li>`;
  });
}

/**
 * An invitation that has no answer yet.
 * @param {{table: SeenTable, seat: number, email: string, isLost: boolean}} props
 */
function Invited({ table, seat, email, isLost }) {
  const [isSent, sent] = useState(false);
  const [busy, error, again] = useSubmit(async () => {
    await call("POST", `${table.base}/invitations`, { email, seat });
    sent(true);
  });
  return html`<div class="row"><span>${t(isLost ? "host.invited.lost" : "host.invited", { email, number: seat + 1 })}</span>
    <button type="button" class="plain" disabled=${busy} aria-label=${t("host.send-again.to", { email })}
      onClick=${again}>${t("host.send-again")}</button>
    <span role="status">${isSent && t("host.sent-again")}</span>
    ${error && html`<${Sorry} error=${error} />`}</div>`;
}

/**
 * A button that asks for confirmation if `sure` has a question.
 * @param {{words: string, sure: string, table: SeenTable, method: string, path: string, body?: object}} props
 */
function Action({ words, sure, table, method, path, body }) {
  const [isAsking, ask] = useState(false);
  const back = useRef();
  useEffect(() => void (isAsking && back.current.focus()), [isAsking]); // focus Cancel, the safe choice
  const [busy, error, run] = useSubmit(async () => {
    await call(method, `${table.base}${path}`, body);
    ask(false);
    await table.look();
  });
  if (!isAsking) return html`<p><button type="button" class="plain" disabled=${busy}
    onClick=${sure ? () => ask(true) : run}>${words}</button>${error && html`<${Sorry} error=${error} />`}</p>`;
  return html`<p class="row"><span>${sure}</span>
    <button key="do" type="button" disabled=${busy} onClick=${run}>${words}</button>
    <button key="back" type="button" ref=${back} class="plain" onClick=${() => ask(false)}>${t("cancel")}</button>
    ${error && html`<${Sorry} error=${error} />`}</p>`;
}
