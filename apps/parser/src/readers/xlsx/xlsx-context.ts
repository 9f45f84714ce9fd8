import type { ReadContext } from "../reader.ts";

/** The context of the read with `warn` as a function that can be handed on. */
export interface XlsxContext extends Omit<ReadContext, "warn"> {
  readonly warn: (sentence: string) => void;
}
