// Components and hooks shared by the settings sections.
import { html, useEffect, useRef, useState } from "../ui/html.js";
import { all, call } from "../ui/api.js";
import { region } from "../ui/times.js";
import { byPlace } from "../ui/field-errors.js";
import { here, toGame } from "../ui/routes.js";
import { store, useStore } from "../ui/store.js";
import { knows, speak, t } from "../ui/words.js";
import { Sorry, useFresh, useSubmit } from "../ui/parts.js";
import { me } from "../ui/token.js";
/** @import { GameSummary, Input, Profile } from "../ui/types" */
/** @typedef {{where: string, key: string, values?: Record<string, any>}} Success */
/** @typedef {{items: any[] | null, next: string | null}} Pages */

/**
 * Update fields of the profile, on the server and in the page. Throws like `call`.
 * @param {Partial<Profile>} changes
 */
export async function changeMe(changes) {
  /** @type {Profile} */
  const changed = await call("PATCH", "/v1/me", changes);
  me.set(changed);
  await speak(changed.locale);
}

/**
 * Update part of a nested field, based on its current value, since another window may have changed it.
 * @param {"calendar" | "notifications"} field
 * @param {(now: any) => any} change
 */
export async function changeWithin(field, change) {
  const now = await call("GET", "/v1/me");
  await changeMe({ [field]: change(now[field]) });
}

// Unsaved input

const drafts = new Map(); // by form; they survive a change of language or section
let owner = me.get()?.id;
me.watch((player) => {
  if (player?.id !== owner) drafts.clear();
  owner = player?.id;
});

const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);
const without = (fields, isGone) => Object.fromEntries(Object.entries(fields).filter(([name, it]) => !isGone(name, it)));

/**
 * Return the fields of a form: the `saved` values, overlaid with unsaved input (`typed`).
 * @param {string} form
 * @param {Record<string, any>} saved
 */
export function useDraft(form, saved) {
  const [, redraw] = useState(0);
  const typed = drafts.get(form) ?? {};
  const keep = (fields) => {
    drafts.set(form, fields);
    redraw((n) => n + 1);
  };
  const set = (field, value) => {
    said.set(null);
    const others = without(drafts.get(form) ?? {}, (name) => name === field);
    keep(same(value, saved[field]) ? others : { ...others, [field]: value });
  };
  return {
    typed,
    values: { ...saved, ...typed },
    isTyped: Object.keys(typed).length > 0,
    set,
    input: (field) => ({ value: typed[field] ?? saved[field], onInput: (event) => set(field, event.target.value) }),
    /** Discard the input that was saved, but keep changes made while saving. */
    settle: (sent) => keep(without(drafts.get(form) ?? {}, (name, it) => same(it, sent[name]))),
    clear: () => keep({}),
  };
}

// Results

const said = store(/** @type {Success | null} */ (null));
here.watch(() => said.set(null));

/**
 * Report success in the `Said` region of this form.
 * @param {string} where
 * @param {string} key
 * @param {Record<string, any>} [values]
 */
export const say = (where, key, values) => said.set({ where, key, values });

/**
 * A status region beside a form. It is rendered empty and filled afterwards, so that screen readers announce it.
 * @param {{where: string}} props
 */
export function Said({ where }) {
  const last = useStore(said);
  const [shown, show] = useState(/** @type {Success | null} */ (null));
  useEffect(() => show(last?.where === where ? last : null), [last]);
  return html`<p class="said" role="status" tabindex="-1" id="said-${where}">${shown && t(shown.key, shown.values)}</p>`;
}

const PLACED = /^([a-z_]+): (.*)$/s; // the server's format for errors in a nested field

/** Return the error messages by field, or by part of a field. */
const refusals = (error) =>
  Object.fromEntries(Object.entries(byPlace(error)).map(([place, told]) => {
    const [, part, words] = PLACED.exec(told) ?? [null, place.split(".")[0], told];
    return [part, words];
  }));

/**
 * Submit a form with `run`. Errors in one of `fields` are returned in `wrong`, any other as `error`.
 * @param {string[]} fields
 * @param {() => Promise<unknown>} run
 */
export function useSending(fields, run) {
  const form = useRef();
  const [busy, error, submit] = useSubmit(run);
  const refused = refusals(error);
  const isPlaced = fields.some((field) => field in refused);
  useEffect(() => {
    if (isPlaced) form.current?.querySelector(".refused input, [aria-invalid]")?.focus();
  }, [error]);
  return { form, busy, wrong: isPlaced ? refused : {}, error: isPlaced ? null : error, submit };
}

/** A labelled field. `children` renders the control with the given attributes. */
export function Field({ id, words, hint, wrong, children }) {
  const about = [hint && `${id}-hint`, wrong && `${id}-wrong`].filter(Boolean).join(" ") || null;
  return html`<div class="field">
    <label for=${id}>${words}</label>
    ${children({ id, "aria-describedby": about, "aria-invalid": wrong ? "true" : null })}
    ${hint && html`<small id="${id}-hint" class="faint">${hint}</small>`}
    <${Wrong} id=${id} words=${wrong} />
  </div>`;
}

/** A group of controls with a legend. */
export function Group({ id, words, hint, wrong, children }) {
  return html`<fieldset class="group ${wrong ? "refused" : ""}" aria-describedby=${wrong ? `${id}-wrong` : null}>
    <legend>${words}</legend>
    ${hint && html`<p class="faint">${hint}</p>`}
    ${children}
    <${Wrong} id=${id} words=${wrong} />
  </fieldset>`;
}

const Wrong = ({ id, words }) => words && html`<p class="wrong" role="alert" id="${id}-wrong">${words}</p>`;

/** The Save and Undo buttons of a form, with its status. */
export function Save({ where, draft, sending }) {
  return html`<div class="row">
    <button disabled=${sending.busy}>${t("settings.save")}</button>
    ${draft.isTyped && html`<button type="button" class="plain" onClick=${draft.clear}>${t("settings.undo")}</button>`}
    <${Said} where=${where} />
  </div>
  ${sending.error && html`<${Sorry} error=${sending.error} />`}`;
}

/**
 * A button that asks for confirmation and shows errors from `run`. Afterwards the focus moves to the `Said` region
 * at `where`, since the button may have been removed.
 */
export function Sure({ words, name, question, run, where }) {
  const [isAsked, ask] = useState(false);
  const answer = useRef();
  const first = useRef();
  const back = useRef(false);
  useEffect(() => {
    if (isAsked) answer.current.focus();
    else if (back.current) first.current?.focus();
    back.current = isAsked;
  }, [isAsked]);
  const [busy, error, submit] = useSubmit(async () => {
    await run();
    back.current = false;
    ask(false);
    document.getElementById(`said-${where}`)?.focus();
  });
  if (!isAsked) return html`<button type="button" class="plain" ref=${first} aria-label=${name}
    onClick=${() => ask(true)}>${words}</button>`;
  return html`<span class="sure row" role="group" aria-label=${question}>
    <span>${question}</span>
    <button type="button" disabled=${busy} onClick=${submit}>${words}</button>
    <button type="button" class="plain" ref=${answer} onClick=${() => ask(false)}>${t("cancel")}</button>
    ${error && html`<${Sorry} error=${error} />`}
  </span>`;
}

/**
 * Show an address or a secret with a Copy button.
 * @param {{id: string, words: string, value: string, takesFocus?: boolean}} props
 */
export function ToCopy({ id, words, value, takesFocus = false }) {
  const field = useRef();
  const [isCopied, setCopied] = useState(/** @type {boolean | null} */ (null));
  useEffect(() => takesFocus && field.current.focus(), [value]);
  const copy = async ({ currentTarget: button }) => {
    field.current.select();
    const copied = await navigator.clipboard?.writeText(value).then(() => true, () => false);
    const done = copied || document.execCommand("copy"); // the clipboard API needs HTTPS
    if (done) button.focus();
    setCopied(done);
  };
  return html`<div class="field">
    <label for=${id}>${words}</label>
    <span class="copying"><input id=${id} ref=${field} readonly value=${value} autocomplete="off" spellcheck=${false}
      onFocus=${(event) => event.target.select()} />
    <button type="button" class="plain" onClick=${copy}>${t("settings.copy")}</button></span>
    <p class="said" role="status">${isCopied !== null && t(isCopied ? "settings.copied" : "settings.copy-yourself")}</p>
  </div>`;
}

/**
 * Load a list page by page, newest first.
 * @param {string} path
 * @param {(item: any) => string} idOf
 */
export function usePages(path, idOf) {
  const [known, set] = useState(/** @type {Pages} */ ({ items: null, next: null }));
  const [, error, again] = useFresh(async () => {
    const page = await call("GET", path);
    set((it) => renewed(it, page, idOf));
  }, [path]);
  const [busy, wrong, more] = useSubmit(async () => {
    const page = await call("GET", known.next ?? path);
    set((it) => ({ items: [...(it.items ?? []), ...page.items], next: page.next }));
  });
  return { ...known, error: error ?? wrong, busy, more, again };
}

/**
 * Merge a fresh first page with the items shown. If there may be a gap between them, keep the fresh page only.
 * @param {Pages} shown
 * @param {Pages & {items: any[]}} page
 * @param {(item: any) => string} idOf
 */
function renewed({ items, next }, page, idOf) {
  const ids = new Set(page.items.map(idOf));
  const older = (items ?? []).filter((it) => !ids.has(idOf(it)));
  return items && older.length < items.length ? { items: [...page.items, ...older], next } : page;
}

export function More({ pages }) {
  return html`${pages.next && html`<p><button type="button" class="plain" disabled=${pages.busy}
      onClick=${pages.more}>${t("settings.more")}</button></p>`}
    ${pages.error && html`<${Sorry} error=${pages.error} />`}`;
}

/**
 * Return the player's unfinished games, to which a token or a webhook can be limited.
 * @returns {Promise<GameSummary[]>}
 */
export const myGames = async () =>
  (await Promise.all(["running", "paused", "open"].map((it) => all(`/v1/games?mine=true&limit=100&status=${it}`)))).flat();

/** @param {{id: string, games?: GameSummary[] | null, title?: string | null}} props */
export const GameLink = ({ id, games, title }) =>
  html`<a href=${toGame(id)}>${title ?? games?.find((it) => it.id === id)?.title ?? t("settings.some-game")}</a>`;

/**
 * A field for a time such as `22:00`. Browsers would show their own time field as `10:00 PM` in some languages.
 * When the player leaves the field, times such as `730` or `7.30` become `07:30`.
 * @param {{value: string, change: (time: string) => void} & Record<string, unknown>} props
 */
export const TimeOfDay = ({ value, change, ...props }) => html`<input class="time" size="5" maxlength="5"
  required pattern="([01][0-9]|2[0-3]):[0-5][0-9]" title=${t("settings.time")} placeholder="00:00" autocomplete="off"
  value=${value} ...${props} onInput=${(/** @type {Input} */ event) => change(event.target.value)}
  onChange=${(/** @type {Input} */ event) => change(event.target.value.replace(/^(\d?\d)[:.h]?(\d\d)$/,
    (_, hour, minute) => `${hour.padStart(2, "0")}:${minute}`))} />`;

/** Format a date as `23 Nov 2026`. A date without a time has no zone. */
export const day = (moment) =>
  new Intl.DateTimeFormat(region(), {
    day: "numeric", month: "short", year: "numeric", timeZone: moment.length > 10 ? me.get()?.zone : "UTC",
  }).format(new Date(moment));

/** Return the translated name, or the server's own: a newer server may have more. */
export const called = (what, name) => (knows(`${what}.${name}`) ? t(`${what}.${name}`) : name);
