import { type Logger, pino, stdTimeFunctions } from "pino";

export type { Logger } from "pino";

export const logLevels = ["debug", "info", "warn", "error", "silent"] as const;
export type LogLevel = (typeof logLevels)[number];

/**
 * One JSON object per line on standard error, so that standard output stays free for results. Fields that could carry a
 * secret or text of a document are never given to it.
 */
export function createLogger(name: string, level: LogLevel): Logger {
  const options = { name, level, timestamp: stdTimeFunctions.isoTime, formatters: { level: levelName } };
  return pino(options, pino.destination({ fd: 2, sync: true }));
}

const levelName = (label: string): { level: string } => ({ level: label });
