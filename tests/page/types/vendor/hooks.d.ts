export * from "preact/hooks";

/** As that of Preact, but what refers to an element needs no value before the element is drawn. */
export function useRef<T = any>(initial?: T): { current: T };
