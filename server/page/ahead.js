// Prefetch the first requests of a table while the modules load; `call` reuses the responses.
// Inlined in the page, whose Content-Security-Policy allows it by hash.
{
  const kept = (/** @type {string} */ key) => {
    try {
      return [sessionStorage, localStorage].map((it) => it.getItem(key));
    } catch {
      return []; // storage is blocked
    }
  };
  document.documentElement.dataset.theme = kept("sternenpost.theme")[1] ?? "system"; // before the first paint
  const link = /^\/t\/([^/]+)$/.exec(location.pathname)?.[1];
  const opened = /** @type {HTMLMetaElement | null} */ (document.querySelector("meta[name=game]"))?.content;
  const id = opened ?? /^#\/games\/([\w-]+)$/.exec(location.hash)?.[1];
  const [forNow, forGood] = kept("sternenpost.token");
  const token = link ?? (forNow || forGood) ?? null;
  if (id) {
    const wished = [...kept("sternenpost.locale"), ...navigator.languages.map((it) => it.slice(0, 2).toLowerCase())];
    const language = link ? document.documentElement.lang : wished.find((it) => /^(de|en|fr|it)$/.test(it ?? "")) ?? "en";
    const headers = { "Accept-Language": language, ...(token && { Authorization: `Bearer ${token}` }) };
    const base = `/v1/games/${id}`;
    const paths = [...(token && !link ? ["/v1/me"] : []), `${base}?`, `${base}/events?after=0&`];
    window.ahead = { token, answers: new Map(paths.map((path) => {
      const cache = !token || token === forGood ? "default" : "no-store";
      const answer = fetch(path, { headers, cache, signal: AbortSignal.timeout(20_000) });
      answer.catch(() => {}); // `call` reports the error
      return [path, answer];
    })) };
  }
}
