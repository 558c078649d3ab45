// Parts of which the sections of the settings are made.
import { html, useEffect, useRef, useState } from "../ui/html.js";
import { all, call } from "../ui/api.js";
import { region } from "../ui/times.js";
import { byPlace } from "../ui/field-errors.js";
import { here, toGame } from "../ui/routes.js";
import { store, useStore } from "../ui/store.js";
import { knows, speak, t } from "../ui/words.js";
import { Sorry, useFresh, useSubmit } from "../ui/parts.js";
import { me } from "../ui/token.js";
/** @import { GameSummary, Profile } from "../ui/types" */
/** @typedef {{where: string, key: string, values?: Record<string, any>}} Success */
/** @typedef {{items: any[] | null, next: string | null}} Pages */

/**
 * Changes some fields of the profile; the page goes by the new ones at once. Throws as `call`.
 * @param {Partial<Profile>} changes
 */
export async function changeMe(changes) {
  /** @type {Profile} */
  const changed = await call("PATCH", "/v1/me", changes);
  me.set(changed);
  await speak(changed.locale);
}

/**
 * Change a field of several parts, on top of what it is by now: another window may have changed it.
 * @param {"calendar" | "notifications"} field
 * @param {(now: any) => any} change
 */
export async function changeWithin(field, change) {
  const now = await call("GET", "/v1/me");
  await changeMe({ [field]: change(now[field]) });
}

// What was typed

const drafts = new Map(); // by form: stays while the page is open, also when its language or section changes
let owner = me.get()?.id;
me.watch((player) => {
  if (player?.id !== owner) drafts.clear();
  owner = player?.id;
});

const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);
const without = (fields, isGone) => Object.fromEntries(Object.entries(fields).filter(([name, it]) => !isGone(name, it)));

/**
 * The fields of a form: what is `saved`, and over it what was `typed` since and is not yet saved.
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
    /** This has been saved; what was typed meanwhile has not. */
    settle: (sent) => keep(without(drafts.get(form) ?? {}, (name, it) => same(it, sent[name]))),
    clear: () => keep({}),
  };
}

// What came of it

const said = store(/** @type {Success | null} */ (null));
here.watch(() => said.set(null));

/**
 * Tell success where this form is: `Said` shows it.
 * @param {string} where
 * @param {string} key
 * @param {Record<string, any>} [values]
 */
export const say = (where, key, values) => said.set({ where, key, values });

/**
 * A status region beside a form. It fills when it is there, so that it is heard even if all was drawn anew.
 * @param {{where: string}} props
 */
export function Said({ where }) {
  const last = useStore(said);
  const [shown, show] = useState(/** @type {Success | null} */ (null));
  useEffect(() => show(last?.where === where ? last : null), [last]);
  return html`<p class="said" role="status" tabindex="-1" id="said-${where}">${shown && t(shown.key, shown.values)}</p>`;
}

const PLACED = /^([a-z_]+): (.*)$/s; // how the server names a part of a field

/** What a refusal says of each field, or part of one, by name. */
const refusals = (error) =>
  Object.fromEntries(Object.entries(byPlace(error)).map(([place, told]) => {
    const [, part, words] = PLACED.exec(told) ?? [null, place.split(".")[0], told];
    return [part, words];
  }));

/**
 * `run` while a form with these fields waits for it: refusals of one of them are `wrong` there, others an `error`.
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

/** A labelled field: `children` draws the control from its attributes. */
export function Field({ id, words, hint, wrong, children }) {
  const about = [hint && `${id}-hint`, wrong && `${id}-wrong`].filter(Boolean).join(" ") || null;
  return html`<div class="field">
    <label for=${id}>${words}</label>
    ${children({ id, "aria-describedby": about, "aria-invalid": wrong ? "true" : null })}
    ${hint && html`<small id="${id}-hint" class="faint">${hint}</small>`}
    <${Wrong} id=${id} words=${wrong} />
  </div>`;
}

/** Several controls under one name. */
export function Group({ id, words, hint, wrong, children }) {
  return html`<fieldset class="group ${wrong ? "refused" : ""}" aria-describedby=${wrong ? `${id}-wrong` : null}>
    <legend>${words}</legend>
    ${hint && html`<p class="faint">${hint}</p>`}
    ${children}
    <${Wrong} id=${id} words=${wrong} />
  </fieldset>`;
}

const Wrong = ({ id, words }) => words && html`<p class="wrong" role="alert" id="${id}-wrong">${words}</p>`;

/** The foot of a form whose fields can be saved again and again. */
export function Save({ where, draft, sending }) {
  return html`<div class="row">
    <button disabled=${sending.busy}>${t("settings.save")}</button>
    ${draft.isTyped && html`<button type="button" class="plain" onClick=${draft.clear}>${t("settings.undo")}</button>`}
    <${Said} where=${where} />
  </div>
  ${sending.error && html`<${Sorry} error=${sending.error} />`}`;
}

/**
 * A button for what cannot be undone: it asks first, and what `run` throws is told beside it. Afterwards the focus is on
 * what is `Said` at `where`, since the button may be gone with what it stood beside.
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
 * An address or a secret to take away.
 * @param {{id: string, words: string, value: string, takesFocus?: boolean}} props
 */
export function ToCopy({ id, words, value, takesFocus = false }) {
  const field = useRef();
  const [isCopied, setCopied] = useState(/** @type {boolean | null} */ (null));
  useEffect(() => takesFocus && field.current.focus(), [value]);
  const copy = async ({ currentTarget: button }) => {
    field.current.select();
    const copied = await navigator.clipboard?.writeText(value).then(() => true, () => false);
    const done = copied || document.execCommand("copy"); // the second way is for addresses without https
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
 * A list that comes page by page, the newest first: `{items, next, error, busy, more, again}`.
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
 * The first page as it is by now before what was shown; alone, if there may be more between them.
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
 * The games of the reader that are not over: what a token or a webhook can be for.
 * @returns {Promise<GameSummary[]>}
 */
export const myGames = async () =>
  (await Promise.all(["running", "paused", "open"].map((it) => all(`/v1/games?mine=true&limit=100&status=${it}`)))).flat();

/** @param {{id: string, games?: GameSummary[] | null, title?: string | null}} props */
export const GameLink = ({ id, games, title }) =>
  html`<a href=${toGame(id)}>${title ?? games?.find((it) => it.id === id)?.title ?? t("settings.some-game")}</a>`;

/** `23 Nov 2026`. A date without a time is the same in every zone. */
export const day = (moment) =>
  new Intl.DateTimeFormat(region(), {
    day: "numeric", month: "short", year: "numeric", timeZone: moment.length > 10 ? me.get()?.zone : "UTC",
  }).format(new Date(moment));

/** In our words, else as the server calls it: a newer one may know more. */
export const called = (what, name) => (knows(`${what}.${name}`) ? t(`${what}.${name}`) : name);
