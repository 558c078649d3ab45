// The moves a player missed: a short summary and a replay.
import { html, useEffect, useRef, useState } from "../ui/html.js";
import { eventTypes } from "../ui/games.js";
import { useStore } from "../ui/store.js";
import { t } from "../ui/words.js";
import { placeInWords, rooms, sentence } from "../table/story.js";
/** @import { GameEvent, RulesDescription } from "../ui/types" */

const MOST = 5; // sentences
const STEP = 1_200; // milliseconds per version
const CHIEF = eventTypes("chief");
const ASIDE = eventTypes("aside").add("time-extended");
const TURNING_POINT = /^(game-(ended|abandoned)|seat-.*)$/;

/**
 * Rank an item by importance, lowest first, so that the summary keeps the most important ones.
 * @param {GameEvent} item
 */
const weight = ({ type }) => (CHIEF.has(type) || TURNING_POINT.test(type) ? 0 : ASIDE.has(type) ? 2 : 1);

/**
 * Summarise `items`, the events the player missed, newest first, since the end of a long summary is out of view.
 * `watch` replays them, `close` marks them as seen.
 * @param {{items: GameEvent[], names: string[], seat?: number, rules: RulesDescription, watch: () => void, close: () => void}} props
 */
export function Recap({ items, names, seat, rules, watch, close }) {
  useStore(rooms);
  const told = items.map((item) => ({ item, words: sentence(item, names, rules, seat) })).filter(({ words }) => words).toReversed();
  const [isOpen, setOpen] = useState(false);
  const [isCut, setCut] = useState(false); // whether the reserved lines are too few
  const text = useRef();
  const chosen = new Set([...told].sort((one, other) => weight(one.item) - weight(other.item)).slice(0, isOpen ? told.length : MOST));
  const shown = told.filter((it) => chosen.has(it));
  const more = told.length - shown.length;
  useEffect(() => {
    if (text.current && !isOpen) setCut(more > 0 || text.current.scrollHeight > text.current.clientHeight + 1);
  });
  if (!told.length) return null; // the game's sentences are still loading
  return html`<section class=${isOpen ? "recap open" : "recap"} aria-label=${t("recap")}>
    <h2>${t("recap")}</h2>
    <div class="scrolls" ref=${text} tabindex="0" role="group" aria-label=${t("recap")}><ul>${shown.map(({ item, words }) => html`<li key=${item.seq}>${words}${" "}</li>`)}
      ${more > 0 && html`<li class="faint">${t("recap.more", { count: more })}</li>`}</ul></div>
    <p class="row"><button onClick=${watch}>${t("recap.watch")}</button>
      <button class="plain" onClick=${close}>${t("recap.close")}</button>
      ${isCut && html`<button class="plain" aria-expanded=${String(isOpen)} onClick=${() => setOpen(!isOpen)}>${
        t(isOpen ? "recap.less" : "recap.all")}</button>`}</p>
  </section>`;
}

/**
 * Replay the versions from `from` to now. `at` is the slider's position, `isHere` whether its view is loaded.
 * With reduced motion, the replay starts paused.
 * @param {{from: number, at: number | null, version: number, isHere: boolean, showAt: (version: number) => void,
 *   close: () => void, story: GameEvent[], names: string[], seat?: number, rules: RulesDescription}} props
 */
export function Replay({ from, at, version, isHere, showAt, close, story, names, seat, rules }) {
  useStore(rooms);
  const [goesOn, setGoesOn] = useState(() => !matchMedia("(prefers-reduced-motion: reduce)").matches);
  const first = useRef();
  const place = useRef();
  const shown = at ?? version;
  const step = () => showAt(at === null ? from : at + 1);
  useEffect(() => first.current.focus({ preventScroll: true }), []);
  useEffect(() => {
    if (!isHere) return;
    place.current.parentElement.querySelector(".fresh")?.scrollIntoView({ block: "nearest", inline: "nearest" });
    if (goesOn && at === null) setGoesOn(false); // reached the current version
    if (!goesOn || at === null) return;
    const timer = setTimeout(step, STEP);
    return () => clearTimeout(timer);
  }, [goesOn, at, isHere, version]);
  const words = story.filter((it) => it.version === shown).map((it) => sentence(it, names, rules, seat)).filter(Boolean);
  const resume = () => {
    if (at === null) showAt(from);
    setGoesOn(true);
  };
  return html`<section class="replay" aria-label=${t("replay")} ref=${place}>
    <p role="status">${words.join(" ")}</p>
    <p class="row">
      <button ref=${first} onClick=${goesOn ? () => setGoesOn(false) : resume}>${
        t(goesOn ? "replay.pause" : at === null ? "replay.again" : "replay.resume")}</button>
      <button class="plain" aria-disabled=${at === null} onClick=${() => {
        setGoesOn(false);
        if (at !== null) step();
      }}>${t("replay.step")}</button>
      <button class="plain" onClick=${close}>${t("replay.close")}</button>
      <span class="faint">${placeInWords(story, shown, version)}</span>
    </p>
  </section>`;
}
