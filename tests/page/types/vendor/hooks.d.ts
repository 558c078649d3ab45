export * from "preact/hooks";

/** Like Preact's, but a ref to an element needs no initial value. */
export function useRef<T = any>(initial?: T): { current: T };
