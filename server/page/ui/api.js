// Calls to the public API. An error response throws Problem; a missing response throws Unreachable.
import { locale } from "./words.js";
import { connection } from "./connection.js";
import { forget, mayKeep, replace, token } from "./token.js";
/** @import { ProblemCode, Told } from "./types" */

const TIMEOUT = 20_000; // milliseconds
const RETRY = 1_500; // milliseconds between attempts
const AWAY = [502, 503, 504]; // from the server, or from a proxy in front of it

/** A problem response (RFC 9457): `title` and `detail` are shown to users, `code` is for the page. */
export class Problem extends Error {
  /**
   * @param {number} status
   * @param {{title: string, detail?: string, code?: ProblemCode, reason?: string, field?: string,
   *   errors?: Record<string, Told>}} body errors from a proxy have only a title
   */
  constructor(status, { title, detail, code, reason, field, errors }) {
    super(detail || title);
    this.status = status;
    this.title = title;
    this.detail = detail;
    this.code = code;
    this.reason = reason;
    this.field = field;
    this.errors = errors;
    this.wait = 0;
  }
}

/** The network or the server is down. The request may or may not have arrived. */
export class Unreachable extends Error {}

/**
 * Return whether a retry may succeed.
 * @param {unknown} error
 */
export const isTransient = (error) => !(error instanceof Problem) || error.status >= 500 || error.status === 429;

/**
 * Send a request and return the response body, or null for a 204. Throws Problem or Unreachable.
 * @param {string} method
 * @param {string} path
 * @param {object} [body]
 * @param {string} [key] idempotency key: retries with the same key take effect once
 * @returns {Promise<any>} a schema of the OpenAPI document
 */
export async function call(method, path, body, key) {
  const answer = await send(method, path, body, key);
  if (answer.status === 204) return null;
  return answer.json().catch(() => {
    throw new Unreachable(); // the response was cut off
  });
}

/**
 * Take the response to a request that `ahead.js` sent, if any. Each one is used once.
 * @param {string} method
 * @param {string} path
 */
function askedAhead(method, path) {
  const { token: by, answers } = window.ahead ?? {};
  const answer = method === "GET" && by === token() ? answers?.get(path) : undefined;
  answers?.delete(path);
  return answer;
}

/**
 * Fetch an image or a file. Throws like `call`.
 * @param {string} path
 */
export const picture = async (path) => (await send("GET", path)).blob();

/** Return 128 random bits in hex, for example as an idempotency key. */
export const randomKey = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");

/** @returns {Record<string, string>} */
export const headers = () => ({
  "Accept-Language": locale(),
  ...(token() ? { Authorization: `Bearer ${token()}` } : {}),
});

/**
 * Send a request and return the response. Throws like `call`.
 * @param {string} method
 * @param {string} path
 * @param {object} [body]
 * @param {string} [key]
 */
export async function send(method, path, body, key) {
  /** @type {Record<string, string>} */
  const json = body === undefined ? {} : { "Content-Type": "application/json" };
  /** @type {Record<string, string>} */
  const once = key ? { "Idempotency-Key": key } : {};
  const asked = token();
  let answer;
  try {
    answer = await (askedAhead(method, path) ?? fetch(path, {
      method,
      headers: { ...headers(), ...json, ...once },
      cache: mayKeep() && !path.includes("invitation=") ? "default" : "no-store",
      body: body === undefined ? undefined : JSON.stringify(body),
      signal: AbortSignal.timeout(TIMEOUT),
    }));
  } catch {
    connection.lost();
    throw new Unreachable();
  }
  if (AWAY.includes(answer.status)) {
    connection.lost();
    throw new Unreachable();
  }
  if (answer.headers.has("Sternenpost-Seen")) connection.lost(); // from the service worker's cache
  else connection.held(answer);
  if (answer.ok) return answer;
  throw await refusal(answer, asked);
}

/**
 * Return the Problem for an error response. If the token `asked` that the request was sent with was rejected, use the
 * one that another window has stored since, or forget it. A wrong code is a 401, too, and leaves the token alone.
 * @param {Response} answer
 * @param {string | null | undefined} asked
 */
export async function refusal(answer, asked) {
  const problem = new Problem(answer.status, (await answer.json().catch(() => null)) ?? { title: answer.statusText });
  problem.wait = 1000 * Number(answer.headers.get("Retry-After")); // milliseconds, 0 without this header
  if (problem.code === "bad-token" && asked && asked === token() && !replace()) forget(problem);
  return problem;
}

/**
 * Call and retry until the server responds, for requests that take effect only once, such as a move for its turn.
 * Stops when the session ends, so that nothing is sent for another account.
 * @param {string} method
 * @param {string} path
 * @param {object} body
 * @param {() => void} [waits] called before each retry
 * @returns {Promise<any>}
 */
export async function callUntilAnswered(method, path, body, waits) {
  const own = token();
  for (;;) {
    try {
      return await call(method, path, body);
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
      waits?.();
      await new Promise((again) => setTimeout(again, RETRY));
      if (token() !== own) throw error;
    }
  }
}

/**
 * Fetch all pages of a list and return the items.
 * @param {string} path
 * @returns {Promise<any[]>}
 */
export async function all(path) {
  const items = [];
  for (let next = path; next; ) {
    const page = await call("GET", next);
    items.push(...page.items);
    next = page.next;
  }
  return items;
}

/** @type {Map<string, Promise<any>>} */
const known = new Map();
/** @type {Map<string, any>} */
const answered = new Map();

/**
 * Fetch something once that doesn't change while the page is open, such as the rules of a game.
 * @param {string} path
 * @returns {Promise<any>}
 */
export function cached(path) {
  const answer = known.get(path) ?? call("GET", path);
  known.set(path, answer);
  answer.then((it) => answered.set(path, it), () => known.delete(path));
  return answer;
}

/**
 * Return the response to `cached`, or null before it has arrived.
 * @param {string} path
 */
export const answerTo = (path) => answered.get(path) ?? null;
