import { AppError } from "@attune/service-kit/app-error.ts";
import type { SchedulerReport } from "./scheduler.ts";

/** The report of a scheduler that could not be asked, with its reason and remedy. */
export function unavailable(
  { name, description }: Pick<SchedulerReport, "name" | "description">,
  error: unknown,
): SchedulerReport {
  return { name, description, available: false, unavailableReason: sentenceOf(error), version: null, pools: [] };
}

export function sentenceOf(error: unknown): string {
  if (!(error instanceof AppError)) throw error;
  const { sentence, remedy } = error.entry;
  return [sentence, error.details.detail, remedy].filter(Boolean).join(" ");
}
