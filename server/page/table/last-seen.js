// The last seen state of a table, cached on this device and drawn until the server responds.
import { mayKeep, SEEN, token } from "../ui/token.js";
import { locale } from "../ui/words.js";
/** @import { Game, GameEvent, LegalMoves, Profile } from "../ui/types" */

/** @typedef {{player: Profile | null, game: Game, story: GameEvent[], legal: LegalMoves | null}} Seen */

/**
 * Return the cache key: separate for each reader, by a hash of the token instead of the token itself.
 * @param {string} id
 */
async function placeOf(id) {
  const whose = new TextEncoder().encode(`${token()} ${locale()}`);
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", whose));
  return `/v1/games/${id}?seen-by=${encodeURIComponent(btoa(String.fromCharCode(...hash)))}`;
}

/**
 * @param {string} id
 * @returns {Promise<Seen | null>}
 */
export async function recall(id) {
  try {
    const kept = mayKeep() && (await caches.match(await placeOf(id), { cacheName: SEEN }));
    return kept ? await kept.json() : null;
  } catch {
    return null; // storage is blocked
  }
}

/**
 * @param {string} id
 * @param {Seen} seen
 */
export async function keep(id, seen) {
  const own = token();
  if (!mayKeep()) return;
  try {
    const place = await placeOf(id);
    const cache = await caches.open(SEEN);
    if (token() === own) await cache.put(place, Response.json(seen));
  } catch {
    // storage is blocked or full
  }
}
