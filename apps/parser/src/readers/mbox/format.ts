import type { Probe } from "../../detection/probe.ts";
import type { Format } from "../format.ts";

export const mbox: Format = {
  name: "mbox",
  description: "Mailbox of many messages (mbox)",
  extensions: ["mbox", "mbx"],
  mediaTypes: ["application/mbox"],
  sniff: sniffMbox,
  isText: true,
  load: async () => (await import("./read-mbox.ts")).readMbox,
};

// RFC 4155: a `From ` line with a date, then a header.
function sniffMbox(probe: Probe): number {
  const start = probe.headLatin1.slice(0, 2048);
  return /^From \S[^\n]*\d{4}[^\n]*\r?\n>?[A-Za-z][\w-]*:/.test(start) ? 1 : 0;
}
