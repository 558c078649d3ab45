// Calls of the public API. A refusal is a Problem in the words of the server; no answer at all is an Unreachable.
import { locale } from "./words.js";
import { connection } from "./connection.js";
import { forget, mayKeep, token } from "./token.js";
/** @import { ProblemCode, Told } from "./types" */

const TIMEOUT = 20_000; // milliseconds for an answer
const RETRY = 1_500; // milliseconds until the very same is sent again
const AWAY = [502, 503, 504]; // what a server says of itself, or a proxy of the server

/** RFC 9457: `title` and `detail` are for people, `code` is for us. */
export class Problem extends Error {
  /**
   * @param {number} status
   * @param {{title: string, detail?: string, code?: ProblemCode, reason?: string, field?: string,
   *   errors?: Record<string, Told>}} body what a proxy says has a title alone
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
  }
}

/** The network or the service is away; nobody knows whether the request arrived. */
export class Unreachable extends Error {}

/**
 * Whether the very same may well succeed a little later.
 * @param {unknown} error
 */
export const isTransient = (error) => !(error instanceof Problem) || error.status >= 500 || error.status === 429;

/**
 * The answer to a request, null for a 204; the same again for the same `key`. Throws Problem, Unreachable.
 * @param {string} method
 * @param {string} path
 * @param {object} [body]
 * @param {string} [key]
 * @returns {Promise<any>} a schema of the document
 */
export async function call(method, path, body, key) {
  const answer = await send(method, path, body, key);
  if (answer.status === 204) return null;
  return answer.json().catch(() => {
    throw new Unreachable(); // it broke off
  });
}

/**
 * The answer to what the page itself has asked for already (`ahead.js`), once.
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
 * A picture of the table. Throws as `call`.
 * @param {string} path
 */
export const picture = async (path) => (await send("GET", path)).blob();

/** 128 bits by this device's own chance, such as a key under which the very same is done once. */
export const randomKey = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");

/** @returns {Record<string, string>} */
export const headers = () => ({
  "Accept-Language": locale(),
  ...(token() ? { Authorization: `Bearer ${token()}` } : {}),
});

/**
 * @param {string} method
 * @param {string} path
 * @param {object} [body]
 * @param {string} [key]
 */
async function send(method, path, body, key) {
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
  if (answer.headers.has("Sternenpost-Seen")) connection.lost(); // this device kept it
  else connection.held(answer);
  if (answer.ok) return answer;
  throw await refusal(answer, asked);
}

/**
 * What the server says against a request that was `asked` with a token. One that was revoked, or has ended, is
 * forgotten, unless somebody has signed in since.
 * @param {Response} answer
 */
export async function refusal(answer, asked = token()) {
  const problem = new Problem(answer.status, (await answer.json().catch(() => null)) ?? { title: answer.statusText });
  if (answer.status === 401 && asked && asked === token()) forget(problem);
  return problem;
}

/**
 * Retries until there is an answer: for what the server takes only once, such as a move for its turn. It ends
 * with the session, since nobody sends what somebody else wished for.
 * @param {string} method
 * @param {string} path
 * @param {object} body
 * @param {() => void} [waits] called when no answer came
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
 * All items of a list, page after page.
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
 * What never changes while the page is open, such as the rules of a game: asked for once.
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
 * What was answered to `cached`; null before.
 * @param {string} path
 */
export const answerTo = (path) => answered.get(path) ?? null;
