import type { Probe } from "../../detection/probe.ts";
import type { Format } from "../format.ts";

export const icalendar: Format = {
  name: "ics",
  description: "Calendar with events, to-dos and journal entries (iCalendar, vCalendar)",
  extensions: ["ics", "ical", "icalendar", "ifb", "vcs"],
  mediaTypes: ["text/calendar", "text/x-vcalendar", "application/ics"],
  isText: true,
  sniff: ({ headText }: Probe) =>
    /^\s{0,200}BEGIN[ \t]{0,8}:[ \t]{0,8}VCALENDAR[ \t]{0,8}[\r\n]/i.test(headText ?? "") ? 1 : 0,
  load: async () => (await import("./read-icalendar.ts")).readICalendar,
};
