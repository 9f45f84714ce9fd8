import type { Property } from "./property.ts";

/** A date or a time as the file gives it. */
interface Moment {
  readonly date: string;
  readonly time: string | undefined;
  /** ` UTC`, or the time zone in brackets; empty for dates and for times without a zone. */
  readonly zone: string;
}

/** The moments of a property that holds one or several, or periods: `2025-03-01 10:00 (Europe/Berlin)`. */
export function momentsOf(property: Property): string[] {
  return property.value
    .split(/[,;]/)
    .map((value) => formatPeriod(value.trim(), property))
    .filter((value) => value !== "");
}

/** From a start to an end, which for days is the day after the last one. */
export function formatSpan(start: Property, end: Property | undefined): string {
  const from = parseMoment(start.value, start);
  const to = end === undefined ? undefined : parseMoment(end.value, end);
  if (from === undefined || to === undefined) {
    return [start, end].flatMap((side) => (side === undefined ? [] : momentsOf(side))).join(" – ");
  }
  const isDays = from.time === undefined && to.time === undefined;
  return formatRange(from, isDays && to.date > from.date ? { ...to, date: dayBefore(to.date) } : to);
}

/** `1 hour 30 minutes` for `PT1H30M`; what is no duration as it stands. */
export function formatDuration(value: string): string {
  const match = /^\+?(-?)P(?:(\d{1,9})W)?(?:(\d{1,9})D)?(?:T(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,9})S)?)?$/i.exec(
    value.trim(),
  );
  if (match === null) return value.trim();
  const parts = ["week", "day", "hour", "minute", "second"].flatMap((unit, index) => {
    const count = Number(match[index + 2] ?? 0);
    return count === 0 ? [] : [`${count} ${unit}${count === 1 ? "" : "s"}`];
  });
  return parts.length === 0 ? value.trim() : `${match[1]}${parts.join(" ")}`;
}

/** ISO 8601, or undefined for what is no moment. */
export function toIsoTime(property: Property | undefined): string | undefined {
  const moment = property && parseMoment(property.value, property);
  if (moment === undefined) return undefined;
  if (moment.time === undefined) return moment.date;
  const seconds = moment.time.length === 5 ? ":00" : "";
  return `${moment.date}T${moment.time}${seconds}${moment.zone === " UTC" ? "Z" : ""}`;
}

function formatPeriod(value: string, property: Property): string {
  const slash = value.indexOf("/");
  const from = parseMoment(slash < 0 ? value : value.slice(0, slash), property);
  if (from === undefined) return value;
  if (slash < 0) return formatMoment(from);
  const to = parseMoment(value.slice(slash + 1), property);
  return to === undefined ? `${formatMoment(from)}, ${formatDuration(value.slice(slash + 1))}` : formatRange(from, to);
}

function formatRange(from: Moment, to: Moment): string {
  const isSameDay = from.date === to.date;
  if (isSameDay && from.time === to.time && from.zone === to.zone) return formatMoment(from);
  const isShort = isSameDay && from.zone === to.zone && from.time !== undefined && to.time !== undefined;
  const start = from.zone === to.zone ? formatMoment({ ...from, zone: "" }) : formatMoment(from);
  return `${start} – ${isShort ? `${to.time}${to.zone}` : formatMoment(to)}`;
}

function formatMoment({ date, time, zone }: Moment): string {
  return time === undefined ? date : `${date} ${time}${zone}`;
}

function parseMoment(value: string, property: Property): Moment | undefined {
  const match = /^(\d{4})(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])(?:T(\d\d)(\d\d)(\d\d)?(Z)?)?$/i.exec(value.trim());
  if (match === null) return undefined;
  const [, year, month, day, hour, minute, second = "00", utc] = match;
  const date = `${year}-${month}-${day}`;
  if (hour === undefined) return { date, time: undefined, zone: "" };
  const time = `${hour}:${minute}${second === "00" ? "" : `:${second}`}`;
  return { date, time, zone: utc === undefined ? zoneOf(property) : " UTC" };
}

function zoneOf({ parameters }: Property): string {
  const zone = parameters.get("TZID") ?? "";
  return zone === "" ? "" : ` (${zone})`;
}

function dayBefore(date: string): string {
  const [year = 0, month = 1, day = 1] = date.split("-").map(Number);
  const before = new Date(0);
  before.setUTCFullYear(year, month - 1, day - 1);
  return before.toISOString().slice(0, 10);
}
