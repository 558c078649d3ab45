// Types of Sternenhimmel: what the document says of it, and what `/v1/rules/sternenhimmel` has beyond the document.
import type { components } from "../ui/openapi";
import type { EventOf, Locale, MoveOf, RulesDescription, TableOf, ViewOf } from "../ui/types";

type Schemas = components["schemas"];

export type Table = TableOf<"sternenhimmel">;
export type View = ViewOf<"sternenhimmel">;
export type Move = MoveOf<"sternenhimmel">;
export type Star = Schemas["SternenhimmelStar"];
export type SternenhimmelEvent = EventOf<"sternenhimmel">;
export type BoardScored = Schemas["SternenhimmelBoardScored"];
export type Payment = Schemas["SternenhimmelPayment"];

/** A space by its letter, at its place in a square whose sides are 1. */
export interface Space {
  id: string;
  size: "large" | "small";
  x: number;
  y: number;
  star: string | null;
}

export interface Board {
  id: string;
  latin: string;
  name: Record<Locale, string>;
  prizes: { first: number; second: number };
  spaces: Space[];
  lines: [one: string, other: string][];
}

export type Rules = RulesDescription & {
  boards: Board[];
  stars: { star: Star; name: string; value: number; per_seat: number }[];
};

/** What lies on a space; a star that nobody may know yet is null. */
export interface Lying {
  seat: number;
  star: Star | null;
  isDown?: boolean;
}

/** A step of a scoring as it is told: "reveal" has `down`, "vanish" `arcs`, "swallow" `pulls`, "double" `doubled`. */
export interface Step {
  kind: "reveal" | "vanish" | "swallow" | "double" | "void" | "worth" | "totals" | "pay";
  down: string[];
  arcs: [one: string, other: string][];
  pulls: { space: string; hole: string }[];
  doubled: { space: string; times: number; by: string[] }[];
}
export type StepKind = Step["kind"];

/** An example of the rules, in rules/examples.json. */
export interface Example {
  board: string;
  spaces: Space[];
  lines: [one: string, other: string][];
  lying: Record<string, [seat: number, star: Star]>;
  values: Record<string, number>;
  gone?: string[];
  totals: number[];
  stars: number[];
  payouts: Record<"first" | "bank", number[]>;
}
export type Examples = Record<"spaces" | "holes" | "doubles" | "tie" | "scored", Example>;
