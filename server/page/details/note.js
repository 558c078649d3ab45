// A player's private note on a game, and the switch that mutes its chat.
import { html, useRef, useState } from "../ui/html.js";
import { call } from "../ui/api.js";
import { Sorry, useSubmit } from "../ui/parts.js";
import { t } from "../ui/words.js";
/** @import { Note as Kept } from "../ui/types" */

/** @param {{base: string, note: Kept, hasChat: boolean, again: () => void}} props */
export function Note({ base, note, hasChat, again }) {
  const text = useRef();
  const [isKept, kept] = useState(false);
  const [busy, error, keep] = useSubmit(async () => {
    await call("PUT", `${base}/note`, { text: text.current.value });
    kept(true);
  });
  const [, refused, mute] = useSubmit(async () => {
    await call("PUT", `${base}/note`, { muted: !note.muted });
    again();
  });
  return html`<section class="card note" aria-label=${t("note")}>
    <h2>${t("note")}</h2>
    <form onSubmit=${keep}>
      <label><span class="unseen">${t("note")}</span><textarea ref=${text} rows="3" maxlength="4000"
        onInput=${() => kept(false)}>${note.text}</textarea></label>
      <p class="row"><button class="plain" disabled=${busy}>${t("note.keep")}</button>
        <span role="status">${isKept && t("note.kept")}</span></p>
      ${error && html`<${Sorry} error=${error} />`}
    </form>
    ${hasChat && html`<label class="check"><input type="checkbox" name="muted" checked=${note.muted} onChange=${mute} />
      ${t("note.mute")}</label>`}
    ${refused && html`<${Sorry} error=${refused} />`}
  </section>`;
}
