// Types of Sternenhimmel: from the OpenAPI document, and parts of `/v1/rules/sternenhimmel` that it doesn't describe.
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

/** A space with its letter and its position in a unit square. */
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

/** A star on a space. A hidden star is null. */
export interface Lying {
  seat: number;
  star: Star | null;
  isDown?: boolean;
}

/** A step of a scoring. "reveal" has `down`, "vanish" `arcs`, "swallow" `pulls`, "double" `doubled`. */
export interface Step {
  kind: "reveal" | "vanish" | "swallow" | "double" | "void" | "worth" | "totals" | "pay";
  down: string[];
  arcs: [one: string, other: string][];
  pulls: { space: string; hole: string }[];
  doubled: { space: string; times: number; by: string[] }[];
}
export type StepKind = Step["kind"];

/** An example from rules/examples.json. */
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
