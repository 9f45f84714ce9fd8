/** What one check found. */
export interface Check {
  readonly state: "ok" | "warn" | "fail";
  /** What was found, in a short sentence. */
  readonly text: string;
  /** What to do about it; absent when all is well. */
  readonly remedy?: string;
}

/** One line. */
export function printCheck({ state, text, remedy }: Check): string {
  return `${state.padEnd(4)}  ${text}${remedy === undefined ? "" : ` ${remedy}`}`;
}
