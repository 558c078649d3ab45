// What is said at the table.
import { html, useEffect, useRef, useState } from "../html.js";
import { call } from "../api.js";
import { absolute } from "../moments.js";
import { t } from "../words.js";
import { Sorry, useSubmit } from "../screens/parts.js";

const EVERY = 20_000; // milliseconds between two looks: the stream tells of moves only

export function Chat({ table, version, seated }) {
  const [said, set] = useState([]);
  const text = useRef();
  const last = useRef(0);
  const listen = async () => {
    const { items } = await call("GET", `${table.base}/messages?after=${last.current}&${table.word}`);
    const fresh = items.filter((it) => it.nr > last.current);
    if (!fresh.length) return;
    last.current = fresh.at(-1).nr;
    set((known) => [...known, ...fresh]);
  };
  useEffect(() => {
    const quietly = () => listen().catch(() => {});
    quietly();
    const timer = setInterval(quietly, EVERY);
    return () => clearInterval(timer);
  }, [version]);
  const [busy, error, say] = useSubmit(async () => {
    await call("POST", `${table.base}/messages`, { text: text.current.value });
    text.current.value = "";
    await listen();
  });
  return html`<section class="card chat" aria-label=${t("chat")}>
    <h2>${t("chat")}</h2>
    <ol role="log">${said.map((it) => html`<li key=${it.nr}><strong>${it.name ?? t("seat.human")}</strong> <time
      class="faint" datetime=${it.at}>${absolute(it.at)}</time><br />${it.text}</li>`)}</ol>
    ${seated && html`<form onSubmit=${say}>
      <label><span class="unseen">${t("chat.message")}</span><textarea ref=${text} rows="2" maxlength="2000" required
        placeholder=${t("chat.message")}></textarea></label>
      <button disabled=${busy}>${t("chat.say")}</button>
      ${error && html`<${Sorry} error=${error} />`}
    </form>`}
  </section>`;
}
