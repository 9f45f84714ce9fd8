import type { Block, Inline, ListItem } from "../../document/document.ts";
import { formatDuration, formatSpan, momentsOf } from "./calendar-time.ts";
import { type Property, textOf, textsOf, transferOf, trimmed } from "./property.ts";
import { recurrenceWords } from "./recurrence-words.ts";
import type { Component } from "./walk-components.ts";

/** What an entry says beside its summary and description, as a list of `label: value`. */
export function entryFacts({ name, properties }: Component): Block[] {
  const byName = Map.groupBy(properties, (property) => property.name);
  const items = [
    ...toItems("Kind", kinds[name] === undefined ? [] : [[kinds[name]]]),
    ...timeItems(name, byName),
    ...readers.flatMap(([label, key, read]) => toItems(label, (byName.get(key) ?? []).flatMap(read))),
  ];
  return items.length === 0 ? [] : [{ type: "list", ordered: false, items }];
}

type Value = readonly Inline[];

// An event is what one expects in a calendar.
const kinds: Readonly<Record<string, string>> = { VTODO: "To-do", VJOURNAL: "Journal entry", VFREEBUSY: "Free/busy" };

function timeItems(kind: string, byName: ReadonlyMap<string, readonly Property[]>): ListItem[] {
  const first = (key: string): Property | undefined => byName.get(key)?.find(({ value }) => value.trim() !== "");
  const [start, end, due, length] = [first("DTSTART"), first("DTEND"), first("DUE"), first("DURATION")];
  const took = length === undefined ? "" : formatDuration(length.value);
  if (start === undefined || kind === "VTODO") {
    return [
      ...toItems("Start", texts(start && formatSpan(start, undefined))),
      ...toItems("End", texts(end && formatSpan(end, undefined))),
      ...toItems("Due", texts(due && formatSpan(due, undefined))),
      ...toItems("Duration", texts(took)),
    ];
  }
  const span = formatSpan(start, end);
  const whole = end === undefined && took !== "" ? `${span}, ${took}` : span;
  return toItems(kind === "VJOURNAL" ? "Date" : "When", texts(whole));
}

function texts(text: string | undefined): Value[] {
  return text === undefined || text === "" ? [] : [[text]];
}

const line = (property: Property): Value[] => texts(trimmed(textOf(property).split("\n")).join(", "));
const words = (property: Property): Value[] => texts(textOf(property).trim().toLowerCase().replaceAll("-", " "));
const moments = (property: Property): Value[] => texts(momentsOf(property).join(", "));

const readers: readonly (readonly [string, string, (property: Property) => Value[]])[] = [
  ["Replaces the one of", "RECURRENCE-ID", moments],
  ["Repeats", "RRULE", (property) => texts(recurrenceWords(property))],
  ["Also on", "RDATE", moments],
  ["Except on", "EXDATE", moments],
  ["Except", "EXRULE", (property) => texts(recurrenceWords(property))],
  ["Completed", "COMPLETED", moments],
  ["Done", "PERCENT-COMPLETE", ({ value }) => texts(value.trim() === "" ? "" : `${value.trim()} %`)],
  ["Place", "LOCATION", line],
  ["Coordinates", "GEO", ({ value }) => texts(trimmed(value.split(/[;,]/)).join(", "))],
  ["Conference", "CONFERENCE", link],
  ["Organizer", "ORGANIZER", person],
  ["Attendees", "ATTENDEE", person],
  ["Contact", "CONTACT", line],
  ["Resources", "RESOURCES", list],
  ["Status", "STATUS", words],
  ["Priority", "PRIORITY", ({ value }) => texts(value.trim() === "0" ? "" : value.trim())],
  ["Class", "CLASS", (property) => words(property).filter(([text]) => text !== "public")],
  ["Categories", "CATEGORIES", list],
  ["Busy", "FREEBUSY", busy],
  ["Link", "URL", link],
  ["Attachment", "ATTACH", (property) => (isInline(property) ? [] : link(property))],
  ["Comment", "COMMENT", line],
];

/** Whether an attachment holds its bytes itself. */
export function isInline(property: Property): boolean {
  return property.parameters.get("VALUE")?.toUpperCase() === "BINARY" || transferOf(property) === "base64";
}

function list(property: Property): Value[] {
  return texts(textsOf(property).join(", "));
}

function link(property: Property): Value[] {
  const target = textOf(property).trim();
  const label = property.parameters.get("LABEL") ?? property.parameters.get("FILENAME") ?? target;
  if (target === "") return [];
  return /^(?:https?|mailto|ftp|tel):/i.test(target) ? [[{ type: "link", target, inlines: [label] }]] : [[target]];
}

function busy(property: Property): Value[] {
  const type = property.parameters.get("FBTYPE")?.toLowerCase();
  return momentsOf(property).map((period) => [
    type === undefined || type === "busy" ? period : `${period} (${type.replaceAll("-", " ")})`,
  ]);
}

// What says nothing is left out: a person who is asked and has not answered yet.
const silent = new Set(["needs-action", "req-participant", "individual", "unknown"]);
const roles: Readonly<Record<string, string>> = { "opt-participant": "optional", "non-participant": "for information" };

function person(property: Property): Value[] {
  const { parameters } = property;
  const address = (parameters.get("EMAIL") ?? textOf(property)).trim().replace(/^(?:mailto|invalid):\s*/i, "");
  const name = parameters.get("CN") ?? "";
  const isNamed = name !== "" && name.toLowerCase() !== address.toLowerCase();
  const whole = isNamed ? `${name}${address.includes("@") ? ` (${address})` : ""}` : address;
  const notes = ["ROLE", "CUTYPE", "PARTSTAT", "STATUS"]
    .map((key) => parameters.get(key)?.toLowerCase() ?? "")
    .filter((note) => note !== "" && !silent.has(note))
    .map((note) => roles[note] ?? note.replaceAll("-", " "));
  return whole === "" ? [] : [[[whole, ...notes].join(", ")]];
}

// Several values stand below their label.
function toItems(label: string, values: readonly Value[]): ListItem[] {
  const [only = []] = values;
  if (values.length === 0) return [];
  const strong: Inline = { type: "strong", inlines: [`${label}:`] };
  if (values.length === 1) return [{ blocks: [{ type: "paragraph", inlines: [strong, " ", ...only] }] }];
  const items = values.map((inlines): ListItem => ({ blocks: [{ type: "paragraph", inlines }] }));
  return [
    {
      blocks: [
        { type: "paragraph", inlines: [strong] },
        { type: "list", ordered: false, items },
      ],
    },
  ];
}
