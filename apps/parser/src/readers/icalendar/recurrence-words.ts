import { momentsOf } from "./calendar-time.ts";
import type { Property } from "./property.ts";

const units: Readonly<Record<string, string>> = {
  SECONDLY: "second",
  MINUTELY: "minute",
  HOURLY: "hour",
  DAILY: "day",
  WEEKLY: "week",
  MONTHLY: "month",
  YEARLY: "year",
};
const days: Readonly<Record<string, string>> = {
  MO: "Monday",
  TU: "Tuesday",
  WE: "Wednesday",
  TH: "Thursday",
  FR: "Friday",
  SA: "Saturday",
  SU: "Sunday",
};
const months = "January February March April May June July August September October November December".split(" ");
const maxRuleLength = 2000;

/** A rule of RFC 5545 3.3.10 in words: `every 2 weeks on Monday, 10 times`; any other as it stands. */
export function recurrenceWords(rule: Property): string {
  const value = rule.value.trim();
  const parts = new Map(value.slice(0, maxRuleLength).toUpperCase().split(";").map(splitPart));
  const unit = units[parts.get("FREQ") ?? ""];
  const isKnown = [...parts.keys()].every((key) => key === "" || isSilent(key, parts) || Object.hasOwn(writers, key));
  if (unit === undefined || !isKnown || value.length > maxRuleLength) return value;
  const interval = Number(parts.get("INTERVAL") ?? 1);
  const words = Object.entries(writers).flatMap(([key, write]) => {
    const part = parts.get(key) ?? "";
    return part === "" || isSilent(key, parts) ? [] : [write(part, rule)];
  });
  return `every ${interval > 1 ? `${interval} ${unit}s` : unit}${words.join("")}`;
}

function splitPart(part: string): [string, string] {
  const equals = part.indexOf("=");
  return equals < 0 ? [part.trim(), ""] : [part.slice(0, equals).trim(), part.slice(equals + 1).trim()];
}

// Where a week begins matters only where weeks are counted.
function isSilent(key: string, parts: ReadonlyMap<string, string>): boolean {
  const countsWeeks = Number(parts.get("INTERVAL")) > 1 || parts.has("BYWEEKNO");
  return key === "FREQ" || key === "INTERVAL" || (key === "WKST" && !countsWeeks);
}

type Write = (part: string, rule: Property) => string;

const writers: Readonly<Record<string, Write>> = {
  BYMONTH: (part) => ` in ${join(part, (month) => months[Number(month) - 1] ?? `month ${month}`)}`,
  BYWEEKNO: (part) => ` in week ${join(part, (week) => week)}`,
  BYYEARDAY: (part) => ` on ${join(part, dayNumber)} of the year`,
  BYMONTHDAY: (part) => ` on ${join(part, dayNumber)} of the month`,
  BYDAY: (part) => ` on ${join(part, weekday)}`,
  BYHOUR: (part) => ` at hour ${join(part, (hour) => hour)}`,
  BYMINUTE: (part) => ` at minute ${join(part, (minute) => minute)}`,
  BYSECOND: (part) => ` at second ${join(part, (second) => second)}`,
  BYSETPOS: (part) => `, only the ${join(part, ordinal)} of these`,
  COUNT: (part) => (part === "1" ? ", once" : `, ${part} times`),
  UNTIL: (part, rule) => ` until ${momentsOf({ ...rule, value: part }).join(", ")}`,
  WKST: (part) => ` (weeks begin on ${days[part] ?? part})`,
};

function join(part: string, toWords: (value: string) => string): string {
  const words = part.split(",").map((value) => toWords(value.trim()));
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}

function dayNumber(value: string): string {
  return value.startsWith("-") ? `the ${ordinal(value)} day` : `day ${value.replace("+", "")}`;
}

function weekday(value: string): string {
  const [, position = "", day = ""] = /^([+-]?\d{1,3})?([A-Z]{2})$/.exec(value) ?? [];
  const name = days[day] ?? value;
  return position === "" ? name : `the ${ordinal(position)} ${name}`;
}

function ordinal(value: string): string {
  const number = Math.abs(Number(value));
  if (!Number.isInteger(number) || number === 0) return value;
  const isTeen = number % 100 >= 11 && number % 100 <= 13;
  const count = `${number}${isTeen ? "th" : (["th", "st", "nd", "rd"][number % 10] ?? "th")}`;
  if (!value.startsWith("-")) return count;
  return number === 1 ? "last" : `${count} last`;
}
