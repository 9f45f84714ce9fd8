import type { Violation } from "../app-error.ts";
import type * as z from "zod";

/** Most faults that one part of a request is told of. */
export const maxViolations = 50;

/** The faults that a schema found, each by the pointer of its place below `part`. */
export function violationsOf(part: string, error: z.ZodError | undefined): Violation[] {
  return (error?.issues ?? []).slice(0, maxViolations).map(({ path, message }) => ({
    pointer: [part, ...path.map((step) => String(step).replaceAll("~", "~0").replaceAll("/", "~1"))].join("/"),
    message,
  }));
}
