// Types of Sternenglanz: what the document says of it, and what `/v1/rules/sternenglanz` has beyond the document.
import type { components } from "../ui/openapi";
import type { EventOf, ForeseenOf, ForesightOf, Locale, MoveOf, RulesDescription, TableOf, ViewOf } from "../ui/types";

type Schemas = components["schemas"];

export type Table = TableOf<"sternenglanz">;
export type View = ViewOf<"sternenglanz">;
export type Move = MoveOf<"sternenglanz">;
export type Foresight = ForesightOf<"sternenglanz">;
export type SternenglanzEvent = EventOf<"sternenglanz">;
export type Item = SternenglanzEvent | ForeseenOf<"sternenglanz">;
export type Piece = Schemas["SternenglanzPiece"];

type Names = Record<Locale, string>;

/** A field at its place in a square whose sides are 1. */
export interface Field {
  id: string;
  x: number;
  y: number;
  bonus?: number;
}

export interface Firmament {
  start: string;
  fields: Field[];
  lines: [one: string, other: string][];
}

/** A type of action cards; a card is a numbered copy of one, such as `geburt#3`. */
export interface ActionCard {
  id: string;
  type: "sterngeburt" | "sternwanderung" | "schwarzes-loch" | "supernova";
  names: Names;
  count: number;
  steps?: number[];
  constellations?: { top: Piece; with: Piece[]; points: number }[];
  points?: number;
}

export interface Sternbild {
  id: string;
  names: Names;
  points: number;
  nodes: { id: string; is: Piece | "gap"; x: number; y: number }[];
  lines: [one: string, other: string][];
}

export interface Scenario {
  id: number;
  names: Names;
  bonusPoints: boolean;
  supernova: boolean;
  sternbild: "none" | "own-open" | "own-secret" | "shared-open";
  goalPoints: number | null;
  goalBilder: number;
}

export interface Cards {
  classes: Record<string, Names>;
  limits: Record<Piece, number>;
  handSize: number;
  supernovaAt: number;
  birthPoints: Record<string, number>;
  birthNeeds: Record<string, { class: Piece; count: number }>;
  actions: ActionCard[];
  sternbilder: Sternbild[];
  scenarios: Scenario[];
}

export type Rules = RulesDescription & { cards: Cards; firmament: Firmament };

/** An example of the rules, in rules/examples.json: the fields that are shown, what lies there, and the `move`. */
export interface Example {
  fields: string[];
  stars: Record<string, Piece>;
  move: string;
  /** By scenario. */
  points: Record<string, number>;
}

export interface Examples {
  birth: Example;
  move: Example;
  hole: Example & { card: string };
  nova: Example & { gone: string[] };
  bild: Example & { bild: string; nodes: Record<string, string> };
  shift: { before: (string | null)[]; after: (string | null)[] };
}

/** What figures and numbers in the text of the rules are about. */
export interface About {
  rules: Rules;
  options: Record<string, any> | null;
  editions: { id: string; options: Record<string, any> }[];
  examples: Examples;
}

/** Something tapped for a step: a slot, an action to be done there, a field, a card. */
export interface Tap {
  kind: "slot" | "action" | "field" | "card";
  value: any;
}

/** A step that taps can lead to, with all that has to be tapped for it; cards go `into` these slots. */
export interface Choice {
  move: Move;
  step: any;
  slot: number[];
  action: string[];
  field: string[];
  card: string[];
  into: number[];
}

/** A whole step of the turn that is being built, with the taps `by` which it came and the events it would cause. */
export interface Level {
  moves: Move[];
  told: number;
  move: Move;
  by: Tap[];
  foresight: Foresight;
  would: Foresight["would"];
  isKept?: boolean; // without an answer
}

export type Building = ReturnType<typeof import("./building").useBuilding>;
