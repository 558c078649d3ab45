// The chat of a table.
import { html, useEffect, useLayoutEffect, useRef, useState } from "../ui/html.js";
import { all, call, randomKey } from "../ui/api.js";
import { seen } from "../ui/local-storage.js";
import { absolute } from "../ui/times.js";
import { t } from "../ui/words.js";
import { RETRY, Sorry, useSubmit } from "../ui/parts.js";
import { useStore } from "../ui/store.js";
import { me } from "../ui/token.js";
import { input } from "../table/guide.js";
import { isChatOpen, unread } from "../table/unread.js";
/** @import { Game, Message, SeenTable } from "../ui/types" */

const EVERY = 20_000; // milliseconds between polls while the stream is down
const GLANCE = 1_000; // milliseconds a line must be visible to count as read
const LOW = 24; // pixels from the bottom that still count as scrolled to the end

/**
 * Unsent text by player and game. It survives the start of the game and a change of language.
 * @type {Map<string, string>}
 */
const drafts = new Map();

/** @param {{table: SeenTable, seated: boolean}} props */
export function Chat({ table, seated }) {
  const { base, word, live } = table;
  const [said, set] = useState(/** @type {Message[] | null} */ (null));
  const text = useRef();
  const key = `${me.get()?.id} ${table.game.id}`;
  useEffect(() => {
    if (text.current) text.current.value = drafts.get(key) ?? "";
  }, [seated]);
  /** @type {{current: {words: string, once: string} | null}} */
  const tried = useRef(null); // keeps the idempotency key, so that a retry after a lost response posts once
  const last = useRef(0); // number of the last message that was fetched
  const learn = (/** @type {Message[]} */ items) => set((known) => {
    const fresh = items.filter((it) => !known?.some(({ nr }) => nr === it.nr));
    return [...(known ?? []), ...fresh].sort((one, other) => one.nr - other.nr);
  });
  const listen = async () => {
    const fetchNew = () => all(`${base}/messages?after=${last.current}&${word}`);
    const items = await fetchNew().catch((/** @type {any} */ error) => {
      if (error.code !== "place-ahead") throw error;
      last.current = 0; // a backup was restored
      set([]);
      return fetchNew();
    });
    last.current = items.at(-1)?.nr ?? last.current;
    learn(items);
  };
  useEffect(() => table.said.watch((it) => it && learn([it])), []);
  useEffect(() => {
    /** @type {number | undefined} */
    let timer;
    let isCurrent = true;
    const poll = async () => {
      const isDone = document.hidden || await listen().then(() => true, () => false);
      if (!isCurrent || (isDone && live === "live")) return; // the stream brings later messages
      timer = setTimeout(poll, isDone ? EVERY : RETRY);
    };
    // catch up on messages from before the stream opened or after it closed
    if (live !== "away" || !said) poll();
    else timer = setTimeout(poll, EVERY);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [live]);
  const nobody = (/** @type {Message} */ it) =>
    table.game.options.nameless ? table.game.seats[it.seat].name : t("seat.human");
  const [log, count, see] = useUnread(table.game, said ?? []);
  const [busy, error, say] = useSubmit(async () => {
    const words = text.current.value;
    const trying = tried.current && tried.current.words === words ? tried.current : { words, once: randomKey() };
    tried.current = trying;
    /** @type {Message} */
    const told = await call("POST", `${base}/messages`, { text: words }, trying.once);
    tried.current = null;
    if (drafts.get(key) === words) drafts.delete(key); // keep text typed while sending
    if (text.current) text.current.value = drafts.get(key) ?? "";
    learn([told]);
    see(told.nr);
  });
  useEffect(() => unread.set(count), [count]);
  const isOpen = useStore(isChatOpen);
  const place = useRef();
  const opener = useRef(/** @type {any} */ (null));
  useEffect(() => {
    if (!isOpen) return;
    opener.current = document.activeElement;
    if (log.current) log.current.scrollTop = log.current.scrollHeight;
    ((input.get() && text.current) || place.current).focus({ preventScroll: true }); // no keyboard over the lines on a phone
  }, [isOpen]);
  const close = () => {
    isChatOpen.set(false);
    opener.current?.focus({ preventScroll: true });
  };
  return html`<section class=${`card chat ${isOpen ? "over" : ""}`} role=${isOpen ? "dialog" : null} tabindex="-1" ref=${place}
    aria-label=${t("chat")} onKeyDown=${(/** @type {KeyboardEvent} */ event) => isOpen && event.key === "Escape" && close()}>
    <h2>${t("chat")} <small class="unread">${count ? t("chat.unread", { count }) : ""}</small>
      ${isOpen && html`<button class="plain" onClick=${close}>${t("close")}</button>`}</h2>
    ${said && html`<div role="log" ref=${log} tabindex=${said.length ? 0 : null} aria-label=${t("chat")}><ol>${
      said.map((it) => html`<li key=${it.nr}><strong>${it.name ?? nobody(it)}</strong> <time class="faint"
      datetime=${it.at}>${absolute(it.at)}</time><br />${it.text}</li>`)}</ol></div>`}
    ${said?.length === 0 && html`<p class="faint">${t("chat.none")}</p>`}
    ${seated && html`<form onSubmit=${say}>
      <label><span class="unseen">${t("chat.message")}</span><textarea ref=${text} rows="2" maxlength="2000" required
        onInput=${() => drafts.set(key, text.current.value)}
        placeholder=${t("chat.message")}></textarea></label>
      <button disabled=${busy}>${t("chat.say")}</button>
      ${error && html`<${Sorry} error=${error} />`}
    </form>`}
  </section>`;
}

/**
 * Keep the log scrolled to the newest line unless the reader has scrolled up, and count others' unread messages across
 * visits.
 * @param {Game} game
 * @param {Message[]} said
 * @returns {[log: {current: any}, unread: number, see: (nr: number) => void]}
 */
function useUnread(game, said) {
  const kept = seen("said", me.get()?.id);
  const log = useRef();
  const isLow = useRef(true);
  const [known, setKnown] = useState(() => kept.of(game.id));
  const newest = said.at(-1)?.nr ?? 0;
  const see = (/** @type {number} */ nr) => {
    kept.upTo(game.id, nr);
    setKnown(nr);
  };
  useLayoutEffect(() => {
    const it = log.current;
    if (!it) return;
    if (isLow.current) it.scrollTop = it.scrollHeight;
    it.onscroll = () => (isLow.current = it.scrollHeight - it.clientHeight - it.scrollTop < LOW);
  }, [newest]);
  useEffect(() => {
    if (newest <= known) return;
    /** @type {number | undefined} */
    let timer;
    const looks = new IntersectionObserver(([{ isIntersecting }]) => {
      clearTimeout(timer);
      if (isIntersecting) timer = setTimeout(see, GLANCE, newest);
    });
    looks.observe(log.current.querySelector("li:last-child"));
    return () => {
      clearTimeout(timer);
      looks.disconnect();
    };
  }, [newest, known]);
  return [log, said.filter((it) => it.nr > known && it.seat !== game.you?.seat).length, see];
}
