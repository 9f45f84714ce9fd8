import { ProblemError } from "@attune/contracts/rest/create-client.ts";

export const callers = 8;

export type Outcome = { readonly reason: string } | { readonly value: unknown };

export const isDone = (outcome: Outcome): outcome is { readonly value: unknown } => "value" in outcome;

/** Every caller at the same moment, and how each ended. */
export async function atOnce(call: (caller: number) => Promise<unknown>): Promise<Outcome[]> {
  const outcomes = Array.from({ length: callers }, (_, caller) =>
    call(caller).then(
      (value): Outcome => ({ value }),
      (error: unknown): Outcome => ({ reason: error instanceof ProblemError ? error.problem.reason : String(error) }),
    ),
  );
  return Promise.all(outcomes);
}

/** Exactly one caller got it, and every other one was told this reason. */
export function judgeOne(outcomes: readonly Outcome[], ...reasons: readonly string[]): string | undefined {
  const done = outcomes.filter(isDone).length;
  const others = outcomes.flatMap((one) => (isDone(one) || reasons.includes(one.reason) ? [] : one.reason));
  return done === 1 && others.length === 0 ? undefined : `${done} succeeded; unexpected: ${others.join(", ")}`;
}

/** The same name, as far as names go. */
export const inAnyCase = (text: string, caller: number): string => (caller % 2 === 0 ? text : text.toUpperCase());
