import type { Probe } from "../../detection/probe.ts";
import type { Format } from "../format.ts";

export const eml: Format = {
  name: "eml",
  description: "E-mail message (EML), with its attachments",
  extensions: ["eml", "emlx"],
  mediaTypes: ["message/rfc822", "application/eml"],
  sniff: sniffEml,
  isText: true,
  load: async () => (await import("./read-eml.ts")).readEml,
};

const known = new Set(
  (
    "from to cc bcc subject date sender reply-to message-id mime-version received return-path delivered-to content-type " +
    "content-transfer-encoding in-reply-to references x-mailer x-priority x-originating-ip dkim-signature list-id"
  ).split(" "),
);
const mailOnly = /^(?:from|to|subject|received|return-path|delivered-to|message-id|mime-version)$/;

// A run of header lines at the very start, with at least two that only messages have. EMLX has a line of digits first.
function sniffEml(probe: Probe): number {
  const text = probe.headText?.slice(0, 16_384).replace(/^\d{1,10}[ \t]*\r?\n/, "");
  if (text === undefined) return 0;
  const names = new Set<string>();
  for (const line of text.split(/\r?\n/)) {
    if (line === "") break;
    if (/^[ \t]/.test(line) && names.size > 0) continue;
    const name = /^([A-Za-z][\w.-]{0,60})[ \t]*:/.exec(line)?.[1]?.toLowerCase();
    if (name === undefined) break;
    names.add(name);
  }
  const ofMail = [...names].filter((name) => mailOnly.test(name)).length;
  if (ofMail < 2) return 0;
  return [...names].filter((name) => known.has(name)).length >= 3 ? 0.9 : 0.5;
}
