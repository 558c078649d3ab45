// The table of a game without a module of its own: a picture drawn by the server.
import { html, useEffect, useState } from "../ui/html.js";
import { picture } from "../ui/api.js";
import { isLight } from "../ui/theme.js";
import { t } from "../ui/words.js";
import { Sorry, useLoaded } from "../ui/parts.js";
/** @import { SeenTable } from "../ui/types" */

/** @param {{table: SeenTable, at: number | null}} props */
export function Fallback({ table, at }) {
  const { game, base, word } = table;
  const theme = isLight() ? "light" : "dark";
  const asked = `${base}/picture.svg?theme=${theme}${at === null ? "" : `&at=${at}`}&${word}`;
  const [blob, error] = useLoaded(() => picture(asked), [asked, game.version]);
  const [address, set] = useState(/** @type {string | null} */ (null));
  useEffect(() => {
    if (!blob) return;
    const made = URL.createObjectURL(blob);
    set(made);
    return () => URL.revokeObjectURL(made);
  }, [blob]);
  return html`<p>${t("fallback.why")}</p>
    ${error && html`<${Sorry} error=${error} />`}
    ${address && html`<img class="picture" src=${address} alt=${t("fallback.alt", { title: game.title })} />`}`;
}
