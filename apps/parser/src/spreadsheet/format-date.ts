import type { FormatToken } from "./format-tokens.ts";

const dayMs = 86_400_000;
/** Day 0 of serial dates after the leap day that 1900 never had. */
const epoch1900Ms = Date.UTC(1899, 11, 30);
const epoch1904Ms = Date.UTC(1904, 0, 1);
/** First serial past 9999-12-31, the last date that spreadsheets know. */
const endSerial1900 = 2_958_466;

const weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const months = "January February March April May June July August September October November December".split(" ");

/** Which parts of a date or time a format shows. */
interface DateParts {
  readonly hasYear: boolean;
  readonly hasMonth: boolean;
  readonly hasDay: boolean;
  readonly hasWeekday: boolean;
  readonly hasHour: boolean;
  readonly hasMinute: boolean;
  readonly hasSecond: boolean;
  readonly elapsed: string | undefined;
  /** Digits of fractions of a second, at most 3. */
  readonly secondDigits: number;
}

export interface DateSystem {
  /** Days count from 1904-01-01 instead of 1899-12-30. */
  readonly is1904: boolean;
}

/**
 * Shows serial dates and times as ISO 8601, as precisely as the format shows it (`2024-03`, `2024-03-01`, `2024-03-01T08:30`,
 * `08:30:15`): a date written `3/1/24` means different days to different readers. Time passed is `hours:minutes:seconds`.
 *
 * @returns a function that gives undefined for a serial number that is no date.
 */
export function compileDateFormat(
  tokens: readonly FormatToken[],
  dates: DateSystem,
): (serial: number) => string | undefined {
  const parts = readParts(tokens);
  return (serial) => formatSerialDate(serial, parts, dates);
}

function formatSerialDate(serial: number, parts: DateParts, { is1904 }: DateSystem): string | undefined {
  if (parts.elapsed !== undefined) return formatElapsed(serial, parts);
  const totalDays = serial + (is1904 ? 1462 : 0);
  if (!(totalDays >= 0 && totalDays < endSerial1900)) return undefined;
  const unitMs = 10 ** (3 - parts.secondDigits);
  const totalMs = Math.round((totalDays * dayMs) / unitMs) * unitMs;
  const date = formatDay(Math.floor(totalMs / dayMs), parts, is1904);
  const time = formatTime(totalMs % dayMs, parts);
  // Below one day there is a time but no date; a date of zero is an empty place that a formula filled.
  const isTimeOnly = totalDays < 1 && !is1904;
  if (isTimeOnly && time === "") return undefined;
  return isTimeOnly || date === "" ? time : time === "" ? date : `${date}T${time}`;
}

function readParts(tokens: readonly FormatToken[]): DateParts {
  const runs = tokens.filter((token) => token.type === "date" || token.type === "elapsed");
  const units = runs.map(({ text }) => text[0]);
  const isMinute = (index: number): boolean =>
    units[index] === "m" &&
    (runs[index]?.text.length ?? 0) <= 2 &&
    (units[index - 1] === "h" || units[index + 1] === "s");
  const has = (matches: (text: string, index: number) => boolean): boolean =>
    runs.some((run, index) => run.type === "date" && matches(run.text, index));
  return {
    hasYear: has((text) => text.startsWith("y")),
    hasMonth: has((text, index) => text.startsWith("m") && !isMinute(index)),
    hasDay: has((text) => text.startsWith("d") && text.length <= 2),
    hasWeekday: has((text) => text.startsWith("d") && text.length > 2),
    hasHour: has((text) => text.startsWith("h")),
    hasMinute: has((_, index) => isMinute(index)),
    hasSecond: has((text) => text.startsWith("s")),
    elapsed: runs.find(({ type }) => type === "elapsed")?.text[0],
    secondDigits: countSecondDigits(tokens),
  };
}

// `ss.000`: digits after a point that follows seconds.
function countSecondDigits(tokens: readonly FormatToken[]): number {
  const pointAt = tokens.findIndex(({ type }) => type === "point");
  if (pointAt === -1) return 0;
  let digits = 0;
  while (tokens[pointAt + 1 + digits]?.type === "digit") digits++;
  return Math.min(3, digits);
}

function formatDay(day: number, parts: DateParts, is1904: boolean): string {
  const date = dateOf(day, is1904);
  const { hasYear, hasMonth, hasDay, hasWeekday } = parts;
  if (hasDay || (hasYear && hasWeekday)) return date.iso;
  if (hasYear) return hasMonth ? date.iso.slice(0, 7) : date.iso.slice(0, 4);
  if (hasWeekday) return hasMonth ? date.iso : (weekdays[date.weekday] ?? "");
  return hasMonth ? (months[Number(date.iso.slice(5, 7)) - 1] ?? "") : "";
}

// Serial 60 is 1900-02-29, which Lotus 1-2-3 invented and all spreadsheets keep; days before it are one later.
function dateOf(day: number, is1904: boolean): CalendarDay {
  const known = is1904 ? days1904 : days1900;
  let date = known.get(day);
  if (date === undefined) {
    date = computeDate(day, is1904);
    if (known.size < maxKnownDays) known.set(day, date);
  }
  return date;
}

interface CalendarDay {
  readonly iso: string;
  readonly weekday: number;
}

/** Days of a century; sheets name the same few over and over. */
const maxKnownDays = 40_000;
const days1900 = new Map<number, CalendarDay>();
const days1904 = new Map<number, CalendarDay>();

function computeDate(day: number, is1904: boolean): CalendarDay {
  if (day === 60 && !is1904) return { iso: "1900-02-29", weekday: 3 };
  const ms = is1904
    ? epoch1904Ms + (day - 1462) * dayMs
    : day < 60
      ? epoch1900Ms + (day + 1) * dayMs
      : epoch1900Ms + day * dayMs;
  const date = new Date(ms);
  return { iso: date.toISOString().slice(0, 10), weekday: date.getUTCDay() };
}

function formatTime(ms: number, { hasHour, hasMinute, hasSecond, secondDigits }: DateParts): string {
  if (!hasHour && !hasMinute && !hasSecond) return "";
  const hours = pad(Math.floor(ms / 3_600_000));
  const minutes = pad(Math.floor(ms / 60_000) % 60);
  const seconds = ((ms % 60_000) / 1000).toFixed(secondDigits).padStart(secondDigits > 0 ? 3 + secondDigits : 2, "0");
  if (!hasHour) return hasSecond ? `${minutes}:${seconds}` : minutes;
  return hasSecond ? `${hours}:${minutes}:${seconds}` : `${hours}:${minutes}`;
}

function formatElapsed(serial: number, parts: DateParts): string | undefined {
  if (!Number.isFinite(serial) || Math.abs(serial) > 1e9) return undefined;
  const unit = 10 ** parts.secondDigits;
  const totalSeconds = Math.round(Math.abs(serial) * 86_400 * unit) / unit;
  const sign = serial < 0 && totalSeconds > 0 ? "-" : "";
  const seconds = (totalSeconds % 60)
    .toFixed(parts.secondDigits)
    .padStart(parts.secondDigits > 0 ? 3 + parts.secondDigits : 2, "0");
  const totalMinutes = Math.floor(totalSeconds / 60);
  if (parts.elapsed === "s") return `${sign}${totalSeconds.toFixed(parts.secondDigits)}`;
  if (parts.elapsed === "m") return `${sign}${totalMinutes}${parts.hasSecond ? `:${seconds}` : ""}`;
  const hours = Math.floor(totalMinutes / 60);
  const hasMinutes = parts.hasMinute || parts.hasSecond;
  return `${sign}${hours}${hasMinutes ? `:${pad(totalMinutes % 60)}` : ""}${parts.hasSecond ? `:${seconds}` : ""}`;
}

function pad(value: number): string {
  return String(value).padStart(2, "0");
}
