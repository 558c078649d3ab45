// The details below a table: players, story, chat, standings, plan and other actions.
import { html, useEffect } from "../ui/html.js";
import { call, picture as fetched } from "../ui/api.js";
import { later } from "../ui/lazy-loading.js";
import { Sorry, useFresh, useSubmit } from "../ui/parts.js";
import { useStore } from "../ui/store.js";
import { link, me } from "../ui/token.js";
import { isAmongBots, mySeat } from "../ui/waiting-for-me.js";
import { t } from "../ui/words.js";
import { isChatHidden } from "../table/unread.js";
import { Actions } from "./actions.js";
import { Chat } from "./chat.js";
import { Preferences } from "./preferences.js";
import { Note } from "./note.js";
import { Plan } from "./plan.js";
import { Seats } from "./seats.js";
import { StandIn } from "./stand-in.js";
import { Story } from "./story.js";
/** @import { Note as Kept, RulesDescription, SeenTable, View } from "../ui/types" */

const Standings = later("standings", "Standings");

/**
 * @param {{table: SeenTable, view: View, at: number | null, names: string[], rules: RulesDescription, goesOn: boolean,
 *   showAt: (version: number) => void}} props
 */
export function Details({ table, view, at, names, rules, goesOn, showAt }) {
  const { game, story } = table;
  const player = useStore(me);
  const by = mySeat(game)?.stood_in_by;
  const isPlaying = goesOn && !mySeat(game)?.stand_in; // else a bot plays
  const isStoodIn = !!by && by.player !== player?.id; // the plan belongs to the player in charge of the seat
  return html`<${Seats} table=${table} view=${view} isPast=${at !== null} />
    <${Story} story=${at === null ? story : story.filter((it) => it.version <= at)} seat=${game.you?.seat}
      names=${names} rules=${rules} showAt=${showAt} />
    <${Aside} table=${table} />
    ${story.some((it) => it.payouts || it.points) && html`<${Standings} game=${game} story=${story}
      names=${names} at=${at} showAt=${showAt} />`}
    ${isPlaying && !isStoodIn && html`<${Plan} table=${table} rules=${rules} />`}
    ${isPlaying && !link && html`<${StandIn} table=${table} />`}
    ${isPlaying && html`<${Actions} table=${table} />`}
    <${Preferences} />
    ${game.status === "finished" && html`<${Archive} table=${table} />`}`;
}

/**
 * Show the chat, unless it is muted, and the player's private note.
 * @param {{table: SeenTable}} props
 */
function Aside({ table }) {
  const isSeated = !!table.game.you && !link;
  const asked = async () => /** @type {Kept | null} */ (isSeated ? await call("GET", `${table.base}/note`) : null);
  const [note, , again] = useFresh(asked, [table.base, isSeated]);
  const isMuted = note?.muted ?? false;
  useEffect(() => {
    isChatHidden.set(isMuted);
    return () => isChatHidden.set(false);
  }, [isMuted]);
  const hasChat = !isAmongBots(table.game);
  return html`${hasChat && !isMuted && html`<${Chat} table=${table} seated=${isSeated} />`}
    ${note && html`<${Note} base=${table.base} note=${note} hasChat=${hasChat} again=${again} />`}`;
}

/**
 * Show the seats, chat and note beside a game that has not started.
 * @param {{table: SeenTable}} props
 */
export const Beside = ({ table }) => html`<${Seats} table=${table} /><${Aside} table=${table} />`;

/**
 * Download the archive by script, because following a link would not send the token.
 * @param {{table: SeenTable}} props
 */
function Archive({ table }) {
  const [busy, error, save] = useSubmit(async () => {
    const href = URL.createObjectURL(await fetched(`${table.base}/archive?${table.word}`));
    Object.assign(document.createElement("a"), { href, download: `${table.game.id}.json` }).click();
    setTimeout(() => URL.revokeObjectURL(href), 10_000);
  });
  return html`<button class="plain" disabled=${busy} onClick=${save}>${t("archive")}</button>
    ${error && html`<${Sorry} error=${error} />`}`;
}
