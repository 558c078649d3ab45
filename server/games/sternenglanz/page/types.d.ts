// Types of Sternenglanz: from the OpenAPI document, and parts of `/v1/rules/sternenglanz` that it doesn't describe.
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

/** A field with its position in a unit square. */
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

/** A type of action card. A card is a numbered copy of it, such as `geburt#3`. */
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
  cardPoints: boolean;
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

/** An example from rules/examples.json: the fields shown, their stars, and the `move`. */
export interface Example {
  fields: string[];
  stars: Record<string, Piece>;
  move: string;
  /** Points by scenario. */
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

/** The data for the figures and numbers in the rules. */
export interface About {
  rules: Rules;
  options: Record<string, any> | null;
  editions: { id: string; options: Record<string, any> }[];
  examples: Examples;
}

/** A tap on a slot, an action, a field or a card. */
export interface Tap {
  kind: "slot" | "action" | "field" | "card";
  value: any;
}

/** A step that taps can lead to, with the taps it needs. Cards go `into` these slots. */
export interface Choice {
  move: Move;
  step: any;
  slot: number[];
  action: string[];
  field: string[];
  card: string[];
  into: number[];
}

/** A complete step of the turn being built, with its taps (`by`) and the events it would cause. */
export interface Level {
  moves: Move[];
  told: number;
  move: Move;
  by: Tap[];
  foresight: Foresight;
  would: Foresight["would"];
  isKept?: boolean; // the server has not responded
}

export type Building = ReturnType<typeof import("./building").useBuilding>;
