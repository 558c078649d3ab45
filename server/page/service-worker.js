// The service worker: serves the page from cache, and the last seen data while offline. Each release of the server
// has its own worker, which takes over once no page is open, or when the user asks for it.

/** @typedef {{release: string, files: string[], words: Record<string, string>, rules: string[]}} Told */
const worker = /** @type {ServiceWorkerGlobalScope & {told: Told}} */ (/** @type {unknown} */ (self));
const { release, files, words, rules } = worker.told; // set by the server
const SHELL = `sternenpost ${release}`;
const SEEN = "sternenpost seen";
const MOST = 200; // cached responses
const LATER = 3_000; // milliseconds during which connections are left to requests the page waits for
const LANGUAGES = ["de", "en", "fr", "it"];
const STATIC = ["/", "/manifest.webmanifest", "/static/star.svg"];
const RULES = /^\/v1\/rules(\/\w+)?$/;
const WHAT_WAS_SEEN = /^\/v1\/(me|games(\/[\w-]+(\/(events|legal-moves|messages|votes|picture\.svg))?)?)$/;

worker.addEventListener("install", (event) => event.waitUntil(fill()));

async function fill() {
  const language = LANGUAGES.find((it) => navigator.language.startsWith(it)) ?? "en";
  const spoken = Object.keys(words).filter((it) => it.startsWith(`words/${language}/`)).map((it) => words[it]);
  const shell = await caches.open(SHELL);
  const paths = [...STATIC, ...rules, ...[...files, ...spoken].map((it) => `/page/${it}`)];
  await Promise.all(paths.map(async (path) => {
    const answer = await fetch(path);
    if (!isKept(path, answer)) throw new Error(`${path} is of another release`);
    await shell.put(path, answer);
  }));
}

/**
 * Return whether the response belongs to this release: during a rollout, the previous one may still answer.
 * @param {string} path
 * @param {Response} answer
 */
const isKept = (path, answer) => answer.ok && (path !== "/" || answer.headers.get("Sternenpost-Release") === release)
  && (!path.startsWith("/page/") || !!answer.headers.get("Cache-Control")?.includes("immutable"));

worker.addEventListener("activate", (event) => event.waitUntil(takeOver()));

async function takeOver() {
  const old = (await caches.keys()).filter((it) => it !== SHELL && it !== SEEN);
  await Promise.all(old.map((it) => caches.delete(it)));
  await worker.clients.claim();
}

worker.addEventListener("message", ({ data }) => {
  if (data === "take over") worker.skipWaiting();
});

worker.addEventListener("push", (event) => event.waitUntil(tell(event.data?.json())));

/**
 * Show the notification, replacing any earlier one about the same game, and update the badge.
 * @param {{title: string, body: string, game: string, waiting: number}} message
 */
async function tell({ title, body, game, waiting }) {
  const icon = "/static/star-192.png";
  await worker.registration.showNotification(title, { body, tag: game, icon, badge: icon, data: { game } });
  if ("setAppBadge" in navigator) await navigator.setAppBadge(waiting).catch(() => {});
}

worker.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(open(`/#/games/${event.notification.data.game}`));
});

/** @param {string} address */
async function open(address) {
  const [window] = await worker.clients.matchAll({ type: "window", includeUncontrolled: true });
  if (!window) return worker.clients.openWindow(address);
  await window.focus();
  // navigate() rejects if another worker controls the window
  return window.navigate(address).catch(() => worker.clients.openWindow(address));
}

worker.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== location.origin) return;
  if (url.pathname === "/" || url.pathname.startsWith("/page/") || STATIC.includes(url.pathname)) {
    event.respondWith(fromShell(request, url.pathname));
  } else if (RULES.test(url.pathname)) {
    event.respondWith(atOnce(request, event));
  } else if (WHAT_WAS_SEEN.test(url.pathname)) {
    event.respondWith(fromServer(request, event));
  }
});

/**
 * @param {Request} request
 * @param {string} path
 */
async function fromShell(request, path) {
  const shell = await caches.open(SHELL);
  const kept = await shell.match(path, { ignoreVary: true }); // the page may send another Accept-Encoding than we did
  if (kept) return kept;
  const answer = await fetch(request);
  if (path.startsWith("/page/") && isKept(path, answer)) await shell.put(path, answer.clone());
  return answer;
}

/**
 * Return the cached rules and refresh them shortly after (stale-while-revalidate): they change with releases.
 * @param {Request} request
 * @param {ExtendableEvent} event
 */
async function atOnce(request, event) {
  const kept = await (await caches.open(SHELL)).match(request, { ignoreVary: true });
  const fresh = async () => {
    const answer = await fetch(request);
    if (answer.ok) await (await caches.open(SHELL)).put(request, answer.clone());
    return answer;
  };
  if (!kept) return fresh();
  event.waitUntil(new Promise((over) => setTimeout(over, LATER)).then(fresh).catch(() => {}));
  return kept;
}

/**
 * Return the server's response, or the last one cached for the same reader.
 * @param {Request} request
 * @param {ExtendableEvent} event
 */
async function fromServer(request, event) {
  try {
    const answer = await fetch(request);
    if (answer.ok && request.cache !== "no-store") event.waitUntil(keep(request, answer.clone()));
    return answer;
  } catch (error) {
    const kept = await (await caches.open(SEEN)).match(await placeOf(request), { ignoreVary: true });
    if (!kept) throw error;
    const headers = new Headers(kept.headers);
    headers.set("Sternenpost-Seen", "earlier");
    return new Response(kept.body, { status: kept.status, headers });
  }
}

/**
 * Return the cache key: separate for each reader, by a hash of the token instead of the token itself.
 * @param {Request} request
 */
async function placeOf({ url, headers }) {
  const whose = new TextEncoder().encode(`${headers.get("Authorization")} ${headers.get("Accept-Language")}`);
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", whose));
  const place = new URL(url);
  place.searchParams.set("reader", [...hash].map((it) => it.toString(16).padStart(2, "0")).join(""));
  return place.href;
}

/**
 * @param {Request} request
 * @param {Response} answer
 */
async function keep(request, answer) {
  const seen = await caches.open(SEEN);
  await seen.put(await placeOf(request), answer);
  const all = await seen.keys();
  await Promise.all(all.slice(0, Math.max(0, all.length - MOST)).map((it) => seen.delete(it)));
}
