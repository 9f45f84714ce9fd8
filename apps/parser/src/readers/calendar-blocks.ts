import type { Block, ListItem } from "../document/document.ts";

const labels: Readonly<Record<string, string>> = {
  SUMMARY: "Event",
  DTSTART: "Start",
  DTEND: "End",
  DUE: "Due",
  DURATION: "Duration",
  RRULE: "Repeats",
  LOCATION: "Location",
  ORGANIZER: "Organizer",
  ATTENDEE: "Attendee",
  STATUS: "Status",
  URL: "Link",
  DESCRIPTION: "Description",
};

/** What an invitation (RFC 5545) says, one list for each event, task and journal entry. */
export function calendarBlocks(text: string): Block[] {
  const blocks: Block[] = [];
  let items: ListItem[] = [];
  const components: string[] = [];
  for (const line of text.replace(/\r?\n[ \t]/g, "").split(/\r?\n/)) {
    const property = parseLine(line);
    if (property.name === "BEGIN") components.push(property.value.trim());
    else if (property.name === "END") {
      if (items.length > 0 && isEntry(components.at(-1))) blocks.push({ type: "list", ordered: false, items });
      if (isEntry(components.pop())) items = [];
    } else if (isEntry(components.at(-1))) items.push(...toItems(property));
  }
  return blocks;
}

interface Property {
  readonly name: string;
  readonly parameters: string;
  readonly value: string;
}

function parseLine(line: string): Property {
  const match = /^([A-Z-]+)((?:;[^:"]*(?:"[^"]*"[^:"]*)*)?):(.*)$/i.exec(line.slice(0, 20_000));
  return { name: match?.[1]?.toUpperCase() ?? "", parameters: match?.[2] ?? "", value: match?.[3] ?? "" };
}

function isEntry(component: string | undefined): boolean {
  return component !== undefined && /^V(?:EVENT|TODO|JOURNAL|FREEBUSY)$/.test(component);
}

function toItems({ name, parameters, value }: Property): ListItem[] {
  const label = labels[name];
  const text = readable(name, value);
  if (label === undefined || text === "") return [];
  const person = /;CN="?([^";]+)/i.exec(parameters)?.[1];
  const zone = /;TZID="?([^";]+)/i.exec(parameters)?.[1];
  const whole = [person, text, zone === undefined ? undefined : `(${zone})`].filter(Boolean).join(" ");
  return [{ blocks: [{ type: "paragraph", inlines: [{ type: "strong", inlines: [`${label}:`] }, ` ${whole}`] }] }];
}

function readable(name: string, value: string): string {
  const text = value
    .replace(/\\n/gi, " ")
    .replace(/\\([\\;,])/g, "$1")
    .replace(/^mailto:/i, "")
    .trim();
  const date = /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)\d\d(Z?))?$/.exec(text);
  if (!name.startsWith("D") || date === null) return text;
  const [, year, month, day, hour, minute, zulu] = date;
  return `${year}-${month}-${day}${hour === undefined ? "" : ` ${hour}:${minute}${zulu === "Z" ? " UTC" : ""}`}`;
}
