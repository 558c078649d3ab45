// Calls of the public API. A refusal is a Problem in the words of the server; no answer at all is an Unreachable.
import { locale } from "./words.js";
import { line } from "./line.js";
import { forget, token } from "./session.js";

const PATIENCE = 20_000; // milliseconds for an answer
const AGAIN = 1_500; // milliseconds until the very same is sent again

/** RFC 9457: `title` and `detail` are for people, `code` is for us. */
export class Problem extends Error {
  constructor(status, body) {
    super(body.detail || body.title);
    Object.assign(this, { status, title: body.title, detail: body.detail, code: body.code, reason: body.reason });
  }
}

/** The network or the service is away; nobody knows whether the request arrived. */
export class Unreachable extends Error {}

/** The answer to a request, null for a 204. Throws Problem, Unreachable. */
export async function call(method, path, body) {
  const answer = await send(method, path, body);
  if (answer.status === 204) return null;
  return answer.json();
}

/** A picture of the table, as an address for an <img>: give it back by URL.revokeObjectURL. Throws as `call`. */
export async function picture(path) {
  return URL.createObjectURL(await (await send("GET", path)).blob());
}

export const headers = () => ({
  "Accept-Language": locale(),
  ...(token() ? { Authorization: `Bearer ${token()}` } : {}),
});

async function send(method, path, body) {
  const json = body === undefined ? {} : { "Content-Type": "application/json" };
  let answer;
  try {
    answer = await fetch(path, {
      method,
      headers: { ...headers(), ...json },
      body: body === undefined ? undefined : JSON.stringify(body),
      signal: AbortSignal.timeout(PATIENCE),
    });
  } catch {
    line.lost();
    throw new Unreachable();
  }
  if (answer.status === 503) {
    line.lost();
    throw new Unreachable();
  }
  line.held();
  if (answer.ok) return answer;
  if (answer.status === 401 && token()) forget(); // it has been revoked, or has ended
  throw new Problem(answer.status, await answer.json().catch(() => ({ title: answer.statusText })));
}

/** Sends the very same until it is answered: for what the server takes only once, such as a move for its turn. */
export async function insist(method, path, body, waits) {
  for (;;) {
    try {
      return await call(method, path, body);
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
      waits?.();
      await new Promise((again) => setTimeout(again, AGAIN));
    }
  }
}

/** All items of a list, page after page. */
export async function all(path) {
  const items = [];
  for (let next = path; next; ) {
    const page = await call("GET", next);
    items.push(...page.items);
    next = page.next;
  }
  return items;
}

const known = new Map();

/** What never changes while the page is open, such as the rules of a game: asked for once. */
export function once(path) {
  if (!known.has(path)) known.set(path, call("GET", path));
  known.get(path).catch(() => known.delete(path));
  return known.get(path);
}
