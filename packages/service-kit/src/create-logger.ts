import { type DestinationStream, type Logger, pino, stdTimeFunctions } from "pino";
import { describeError } from "./describe-error.ts";

export type { Logger } from "pino";

export const logLevels = ["debug", "info", "warn", "error", "silent"] as const;
export type LogLevel = (typeof logLevels)[number];

/**
 * One JSON object per line on standard error, so that standard output stays free for results. Fields that could carry a
 * secret or text of a document are never given to it; an `error` is told by its type, message, place and causes.
 */
export function createLogger(
  name: string,
  level: LogLevel,
  destination: DestinationStream = pino.destination({ fd: 2, sync: true }),
): Logger {
  const serializers = { error: (error: unknown) => describeError(error) };
  const options = { name, level, timestamp: stdTimeFunctions.isoTime, formatters: { level: levelName }, serializers };
  return pino(options, destination);
}

const levelName = (label: string): { level: string } => ({ level: label });
