// Types of the API, named as in the OpenAPI document, and types shared between modules. They are not served:
// `python -m tests.page.types` generates openapi.d.ts and checks the page with tsc.
import type { VNode } from "preact";
import type { components } from "./openapi";

type Schemas = components["schemas"];

declare global {
  interface Window {
    /** Requests sent by `ahead.js`, and their token. */
    ahead?: { token: string | null; answers: Map<string, Promise<Response>> };
  }
}

/** A union that allows reading properties that only some members have. */
type Whole<U, K extends PropertyKey = U extends unknown ? keyof U : never> = U extends unknown
  ? U & { [P in Exclude<K, keyof U>]?: undefined }
  : never;

export type Game = Schemas["Game"];
export type GameSummary = Schemas["GameSummary"];
export type Seat = Schemas["Seat"] & { level?: string };
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
/** An event, with the bots that were playing for absent players, by seat. */
export type GameEvent = Whole<Schemas["Event"]> & { bots?: Record<number, string | undefined> };
/** An event, or a preview of one. */
export type Item = Whole<Schemas["Event"] | Schemas["Foreseen"]> & Pick<GameEvent, "bots">;
export type StandIn = Schemas["StandIn"];
export type TrackRecord = Schemas["TrackRecord"];
export type PlayerGame = Schemas["PlayerGame"];
export type Blocks = Schemas["Blocks"];
export type Companions = Schemas["Companions"];
export type GameBefore = Schemas["GameBefore"];
export type Note = Schemas["Note"];
export type Message = Schemas["Message"];
export type Votes = Schemas["Votes"];
export type WayBack = Schemas["WayBack"];
/** The player's own profile. Only updates may omit fields. */
export type Profile = Required<Schemas["Profile"]>;
export type Service = Schemas["Service"];
export type Locale = Schemas["Locale"];
export type Options = Whole<Schemas[`${Capitalize<RulesName>}Options`]>;
export type RulesName = Schemas["Rules"];
export type RulesDescription = Schemas["RulesDescription"];

/** The body of any problem response (RFC 9457). */
export type ProblemBody = Schemas[Extract<keyof Schemas, `${string}Problem`>];
export type ProblemCode = ProblemBody["code"];

/** Validation messages by field. */
export type Told = string | string[] | { [name: string]: Told };

export type Drawn = VNode | VNode[] | string | number | boolean | null | undefined;

export interface Store<T> {
  get(): T;
  set(value: T): void;
  watch(tell: (value: T) => void): () => void;
}

/** A game's `plan.js`: describes a move in one line, and several in a sentence if it can, and gives the conditions under which its place is still free. */
export interface PlanForm {
  written(move: any, rules: any): string;
  told?(moves: any[], rules: any): string;
  isFree(move: any, view: any): NonNullable<PlannedMove["if"]>;
  [name: string]: any;
}

/** A plan being built on the board. Its `turn` is negative and unique. */
export interface Planning {
  base: string;
  turn: number;
  form: PlanForm;
  plan: Plan;
  next: PlannableMoves;
}

/** The moves that may be planned next, as if the player's turn began now. */
export type PlannableMoves = { moves: any[]; foresight: { would: any[]; view: any; would_reveal: boolean } };

/** State of the event stream: "over" once it is complete. */
export type Live = "live" | "away" | "over";

/** A game with its events so far (`story`). */
export interface Table {
  game: Game | null;
  story: GameEvent[];
  legal: LegalMoves | null;
  error: unknown;
  /** Whether this is the cached state. */
  isSeen: boolean;
  /** Whether a different cached state was shown first. */
  isRenewed: boolean;
  /** The game as it was before the player lost access to it. */
  lost: Game | null;
  played: GameEvent[];
  said: Store<Message | null>;
  /** The seats of the other players who have this table open. */
  here: Store<number[]>;
  /** How often something beside the log has changed. */
  changes: Store<number>;
  live: Live;
  base: string;
  word: string;
  look(): Promise<void>;
  play(turn: number, move: Move, waits?: () => void): Promise<void>;
  preview(turn: number, move: Move): Promise<Foresight>;
}

/** A table whose game is loaded. */
export type SeenTable = Table & { game: Game };

/** A table at which the player has a seat. */
export type SeatedTable = SeenTable & { game: { you: NonNullable<Game["you"]> } };

/** A table of one kind of game, once it has started. */
export type TableOf<G extends RulesName> = Omit<Table, "game" | "legal" | "play" | "preview"> & {
  game: Extract<Game, { rules: G }>;
  legal: { turn: number | null; moves: MoveOf<G>[] } | null;
  play(turn: number, move: MoveOf<G>, waits?: () => void): Promise<void>;
  preview(turn: number, move: MoveOf<G>): Promise<ForesightOf<G>>;
};
export type ViewOf<G extends RulesName> = NonNullable<Extract<Game, { rules: G }>["view"]>;
export type MoveOf<G extends RulesName> = Schemas[`${Capitalize<G>}Move`];
/** All schemas whose names start with `Name`. */
type Called<Name extends string> = Schemas[Extract<keyof Schemas, `${Name}${string}`>];
/** The events of this kind of game. */
export type EventOf<G extends RulesName> = Extract<Called<Capitalize<G>>, { seq: number; type: string }>;
export type ForeseenOf<G extends RulesName> = Extract<Called<`${Capitalize<G>}Foreseen`>, { type: string }>;
export type ForesightOf<G extends RulesName> = Omit<Foresight, "view" | "would"> & {
  view: ViewOf<G>;
  would: ForeseenOf<G>[];
};

/** Describes an item, given the names of the seats, the rules, and whether the reader has the item's seat. Returns null
 * if it is not worth showing. */
export type Sentence = (item: any, names: string[], rules: any, isOwn: boolean) => string | null;
export type Sentences = { [type: string]: Sentence };

/** The sentences of a game by event type. */
export type SentencesOf<E extends { type: string }, R> = {
  [T in E["type"]]?: (item: Extract<E, { type: T }>, names: string[], rules: R, isOwn: boolean) => string | null;
};

/** An event of a form control. */
export interface Input {
  target: HTMLInputElement;
}

/** A place that arrow keys can reach. The y axis points down. */
export interface Place {
  id: string;
  x: number;
  y: number;
}
