// Verifies an archive using only what /docs/fairness documents: the commitment, all draws, and the hash chain.
// node fairness.mjs archive.json    prints errors and exits with 1, or prints nothing
// node fairness.mjs --example       prints the expected example on that page

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

const BOARDS = ["aries", "taurus", "gemini", "cancer", "leo", "virgo", "libra", "scorpio", "sagittarius", "capricorn",
  "aquarius", "pisces"];
const copies = (id, count) => Array.from({ length: count }, (_, i) => `${id}#${i + 1}`);
const CARDS = [["geburt", 12], ["wanderung-2", 10], ["wanderung-3", 10], ["loch-a", 4], ["loch-b", 4], ["loch-c", 4]]
  .flatMap(([id, count]) => copies(id, count));
const SUPERNOVAE = copies("supernova", 4);
const STERNBILDER = ["pfeil-und-bogen", "okulus", "kelch", "anker", "papierdrachen", "schlange", "krone", "waage"];
const WORDS = 2n ** 64n;

const sha256 = (...parts) => parts.reduce((hash, part) => hash.update(part), createHash("sha256")).digest();
const number = (value, bytes) => Buffer.from(BigInt(value).toString(16).padStart(2 * bytes, "0"), "hex");

function keyOf(seed, salts) {
  const parts = salts.map((salt) => Buffer.from(salt, "utf8"));
  return sha256(seed, ...parts.flatMap((salt) => [number(salt.length, 4), salt]));
}

class Dice {
  constructor(key) {
    this.key = key;
    this.used = 0;
  }
  word() {
    const block = sha256(this.key, number(Math.floor(this.used / 4), 8));
    return block.readBigUInt64BE(8 * (this.used++ % 4));
  }
  below(k) {
    const fair = WORDS - (WORDS % BigInt(k));
    for (;;) {
      const word = this.word();
      if (word < fair) return Number(word % BigInt(k));
    }
  }
  shuffled(things) {
    const order = [...things];
    for (let i = order.length - 1; i > 0; i--) {
      const j = this.below(i + 1);
      [order[i], order[j]] = [order[j], order[i]];
    }
    return order;
  }
}

function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const fields = Object.keys(value).sort().map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`);
  return `{${fields.join(",")}}`;
}

function chained(before, { seq, version, type, seat, at, body }) {
  return sha256(before, canonical({ seq, version, type, seat, at, body }));
}

function expect(found, wanted, what) {
  if (canonical(found) !== canonical(wanted)) throw new Error(`${what}: ${canonical(found)}, not ${canonical(wanted)}`);
}

function check(archive) {
  const seed = Buffer.from(archive.seed, "hex");
  expect(archive.commitment, sha256(seed).toString("hex"), "commitment");
  let hash = Buffer.from(archive.commitment, "hex");
  let version = 0;
  archive.events.forEach((event, i) => {
    expect(event.seq, i + 1, "seq");
    if (event.version !== version) expect(event.version, ++version, `version of event ${i + 1}`);
    hash = chained(hash, event);
    expect(event.hash, hash.toString("hex"), `hash of event ${i + 1}`);
  });
  const { rules, options, clock, on_timeout, game, salt_hashes } = archive;
  salt_hashes?.forEach((hash, seat) => {
    const salt = archive.salts[seat];
    if (hash !== null && salt) expect(sha256(Buffer.from(salt, "utf8")).toString("hex"), hash, `salt of seat ${seat}`);
  });
  const seats = archive.seats.length;
  const dice = new Dice(keyOf(seed, archive.salts));
  const bots = archive.seats.map(({ bot }) => bot);
  const started = ["game-started", { seats, terms: { rules, options, clock, on_timeout, game, bots, ...(salt_hashes && { salt_hashes }) } }];
  const first = archive.events.filter((event) => event.version === 1).map(({ type, body }) => [type, body]);
  const later = standing(archive.events).filter((event) => event.version > 1);
  const [opening, draws] = DRAWN[rules](options, seats, dice);
  expect(first, [started, ...opening], "opening");
  draws(later);
}

/** Return the events without those that were taken back. The draws stay the same. */
function standing(events) {
  return events.reduce((before, event) => event.type === "move-taken-back"
    ? before.filter(({ version }) => version <= event.body.to)
    : [...before, event], []);
}

// For each game: the expected opening, and a check of later draws.

const DRAWN = {
  sternenhimmel(options, seats, dice) {
    const order = dice.shuffled(BOARDS);
    const start = options.start_seat === null ? dice.below(seats) : options.start_seat;
    const boards = order.map((board, slot) => ["board-dealt", { board, slot }]);
    const opening = [["boards-shuffled", { seats, options, order, start }], ...boards.slice(0, seats)];
    return [opening, (later) => {
      const dealt = later.filter(({ type }) => type === "board-dealt").map(({ body }) => body.board);
      expect(dealt, order.slice(seats, seats + dealt.length), "boards");
    }];
  },
  sternenglanz(options, seats, dice) {
    const { scenario } = options;
    const start = options.start_seat === null ? dice.below(seats) : options.start_seat;
    let deck = dice.shuffled(CARDS);
    const sternbilder = scenario === 1 ? [] : dice.shuffled(STERNBILDER);
    const reserve = scenario === 1 || scenario === 4 ? SUPERNOVAE : [];
    const opening = [["cards-shuffled", { seats, options, start, field: "a1", deck, sternbilder: [...sternbilder], reserve }]];
    for (let n = 0; n < seats; n++) {
      opening.push(["hand-dealt", { cards: deck.slice(0, 5 * seats).filter((_, i) => i % seats === n) }]);
    }
    deck = deck.slice(5 * seats);
    if (scenario === 3) opening.push(["sternbild-turned-up", { sternbild: sternbilder.shift() }]);
    if (scenario === 2 || scenario === 4) {
      for (let n = 0; n < seats; n++) {
        opening.push(["sternbild-drawn", { sternbild: sternbilder.shift(), open: scenario === 2 }]);
      }
    }
    const discards = Array.from({ length: seats }, () => []);
    const draws = {
      "cards-drawn": ({ cards }) => expect(cards, deck.splice(0, cards.length), "cards drawn"),
      "sternbild-drawn": ({ sternbild }) => expect(sternbild, sternbilder.shift(), "Sternbild drawn"),
      "sternbild-turned-up": ({ sternbild }) => expect(sternbild, sternbilder.shift(), "Sternbild turned up"),
      "supernova-laid": ({ card }, seat) => discards[seat].push(card),
      "cards-laid": ({ dropped }, seat) => dropped !== null && discards[seat].push(dropped),
      "cards-shifted": ({ discarded }, seat) => discards[seat].push(...discarded),
      "discards-shuffled": (body) => {
        const cards = discards.flatMap((discard) => discard.splice(0));
        const out = options.supernovaRecycle === "box" ? cards.filter((card) => SUPERNOVAE.includes(card)) : [];
        deck = dice.shuffled(cards.filter((card) => !out.includes(card)));
        expect(body, { deck, out }, "discards shuffled");
      },
    };
    return [opening, (later) => later.forEach(({ type, body, seat }) => draws[type]?.(body, seat))];
  },
};

function example() {
  const seed = Buffer.from([...Array(32).keys()]);
  const key = keyOf(seed, ["", "Ada", "Grüße"]);
  const dice = new Dice(key);
  const body = { star: "7", board: "leo", space: "c", next: 0 };
  const event = { seq: 1, version: 1, type: "star-placed", seat: 2, at: "2026-01-31T20:15:00.000000Z", body };
  return [
    sha256(seed).toString("hex"),
    key.toString("hex"),
    new Dice(key).word().toString(),
    [1, 2, 3, 4, 5].map(() => dice.below(6)).join(" "),
    dice.shuffled("abcdef").join(" "),
    canonical(event),
    chained(sha256(seed), event).toString("hex"),
  ];
}

try {
  if (process.argv[2] === "--example") console.log(example().join("\n"));
  else check(JSON.parse(readFileSync(process.argv[2], "utf8")));
} catch (error) {
  console.log(error.message);
  process.exit(1);
}
