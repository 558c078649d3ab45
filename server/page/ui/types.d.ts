// Types of what goes between the API and the page, by their names in the OpenAPI document, and of what several modules
// hand to each other. No browser sees them: `python -m tests.page.types` makes openapi.d.ts and has tsc check the page.
import type { VNode } from "preact";
import type { components } from "./openapi";

type Schemas = components["schemas"];

declare global {
  interface Window {
    /** What the page itself has asked for, and by which token. */
    ahead?: { token: string | null; answers: Map<string, Promise<Response>> };
  }
}

/** A union whose members may be asked for what only others of them have. */
type Whole<U, K extends PropertyKey = U extends unknown ? keyof U : never> = U extends unknown
  ? U & { [P in Exclude<K, keyof U>]?: undefined }
  : never;

export type Game = Schemas["Game"];
export type GameSummary = Schemas["GameSummary"];
export type Seat = Schemas["Seat"];
export type Clock = Schemas["Clock"];
export type TimeoutStep = Whole<Schemas["TimeoutStep"]>;
export type Outcome = Schemas["Outcome"];
export type View = Whole<Schemas["View"]>;
export type Move = Schemas["Move"];
export type LegalMoves = Schemas["LegalMoves"];
export type MoveAnswer = Schemas["MoveAnswer"];
export type Foresight = Schemas["Foresight"];
export type Hint = Schemas["Hint"];
export type Review = Schemas["Review"];
export type ReviewedMove = Schemas["ReviewedMove"];
export type HintedMove = Schemas["HintedMove"];
export type Plan = Schemas["Plan"];
export type PlannedMove = Schemas["PlannedMove"];
export type GameEvent = Whole<Schemas["Event"]>;
/** An event, or one that would follow a move. */
export type Item = Whole<Schemas["Event"] | Schemas["Foreseen"]>;
export type StandIn = Schemas["StandIn"];
export type TrackRecord = Schemas["TrackRecord"];
export type PlayerGame = Schemas["PlayerGame"];
export type Blocks = Schemas["Blocks"];
export type Note = Schemas["Note"];
export type Message = Schemas["Message"];
export type Votes = Schemas["Votes"];
export type WayBack = Schemas["WayBack"];
/** Whoever is signed in; only changes of it may leave fields out. */
export type Profile = Required<Schemas["Profile"]>;
export type Service = Schemas["Service"];
export type Locale = Schemas["Locale"];
export type Options = Whole<Schemas[`${Capitalize<RulesName>}Options`]>;
export type RulesName = Schemas["Rules"];
export type RulesDescription = Schemas["RulesDescription"];

/** RFC 9457, whatever was refused. */
export type ProblemBody = Schemas[Extract<keyof Schemas, `${string}Problem`>];
export type ProblemCode = ProblemBody["code"];

/** What the server says of fields that are wrong: words, by place. */
export type Told = string | string[] | { [name: string]: Told };

export type Drawn = VNode | VNode[] | string | number | boolean | null | undefined;

export interface Store<T> {
  get(): T;
  set(value: T): void;
  watch(tell: (value: T) => void): () => void;
}

/** What a game brings to plans, in its `plan.js`: a move in one line, and when its place is free for every spectator. */
export interface PlanForm {
  written(move: any, rules: any): string;
  isFree(move: any, view: any): NonNullable<PlannedMove["if"]>;
  [name: string]: any;
}

/** What is planned on the board of a table; it has a `turn` below zero of its own. */
export interface Planning {
  base: string;
  turn: number;
  form: PlanForm;
  plan: Plan;
  next: PlannableMoves;
}

/** What may be planned next, as if the reader's turn began now. */
export type PlannableMoves = { moves: any[]; foresight: { would: any[]; view: any; would_reveal: boolean } };

/** Whether news come by themselves: "over" when there is nothing more to come. */
export type Live = "live" | "away" | "over";

/** A game as it goes on; what came of it since is in `story`. */
export interface Table {
  game: Game | null;
  story: GameEvent[];
  legal: LegalMoves | null;
  error: unknown;
  /** Whether it is only what this device last saw. */
  isSeen: boolean;
  /** Whether something else than that was seen first. */
  isRenewed: boolean;
  played: GameEvent[];
  said: Store<Message | null>;
  /** The seats of the other players who have this table open. */
  here: Store<number[]>;
  live: Live;
  base: string;
  word: string;
  look(): Promise<void>;
  play(turn: number, move: Move, waits?: () => void): Promise<void>;
  preview(turn: number, move: Move): Promise<Foresight>;
}

/** A table that has been looked at. */
export type SeenTable = Table & { game: Game };

/** A table at which the reader sits. */
export type SeatedTable = SeenTable & { game: { you: NonNullable<Game["you"]> } };

/** A table of this game alone, once it has begun. */
export type TableOf<G extends RulesName> = Omit<Table, "game" | "legal" | "play" | "preview"> & {
  game: Extract<Game, { rules: G }>;
  legal: { turn: number | null; moves: MoveOf<G>[] } | null;
  play(turn: number, move: MoveOf<G>, waits?: () => void): Promise<void>;
  preview(turn: number, move: MoveOf<G>): Promise<ForesightOf<G>>;
};
export type ViewOf<G extends RulesName> = NonNullable<Extract<Game, { rules: G }>["view"]>;
export type MoveOf<G extends RulesName> = Schemas[`${Capitalize<G>}Move`];
/** All whose names begin so. */
type Called<Name extends string> = Schemas[Extract<keyof Schemas, `${Name}${string}`>];
/** What happened in this game, and what would happen. */
export type EventOf<G extends RulesName> = Extract<Called<Capitalize<G>>, { seq: number; type: string }>;
export type ForeseenOf<G extends RulesName> = Extract<Called<`${Capitalize<G>}Foreseen`>, { type: string }>;
export type ForesightOf<G extends RulesName> = Omit<Foresight, "view" | "would"> & {
  view: ViewOf<G>;
  would: ForeseenOf<G>[];
};

/** By type, an item as a sentence: of the item, the names of the seats, and the rules; null where it is worth none. */
export type Sentence = (item: any, names: string[], rules: any) => string | null;
export type Sentences = { [type: string]: Sentence };

/** The sentences of a game, each of the item of its type. */
export type SentencesOf<E extends { type: string }, R> = {
  [T in E["type"]]?: (item: Extract<E, { type: T }>, names: string[], rules: R) => string | null;
};

/** What happens to a control in which something is typed or chosen. */
export interface Input {
  target: HTMLInputElement;
}

/** Something with a place to which arrow keys lead, y down. */
export interface Place {
  id: string;
  x: number;
  y: number;
}
