import type { Probe } from "../../detection/probe.ts";
import type { Format } from "../format.ts";

export const mhtml: Format = {
  name: "mhtml",
  description: "Web page saved with its pictures in one file (MHTML)",
  extensions: ["mhtml", "mht"],
  mediaTypes: ["multipart/related", "application/x-mimearchive"],
  sniff: sniffMhtml,
  isText: true,
  load: async () => (await import("./read-mhtml.ts")).readMhtml,
};

// A message that was never sent: parts that belong together, and no recipient.
function sniffMhtml(probe: Probe): number {
  const text = probe.headText?.slice(0, 16_384);
  if (text === undefined) return 0;
  const header = text.split(/\r?\n\r?\n/, 1)[0] ?? "";
  if (!/^mime-version\s*:/im.test(header) || !/^[\w-]+\s*:/.test(header)) return 0;
  if (/^(?:snapshot-content-location|x-maf-\w+)\s*:/im.test(header)) return 1;
  const isSent = /^(?:to|received|delivered-to|message-id|return-path)\s*:/im.test(header);
  return isSent ? 0 : scoreUnsent(header);
}

function scoreUnsent(header: string): number {
  const isSaved = /^from\s*:\s*"?<?(?:saved by|from) /im.test(header) || /^content-location\s*:/im.test(header);
  const isPage = isSaved || !/^from\s*:/im.test(header);
  if (/^content-type\s*:\s*multipart\/related/im.test(header)) return isPage ? 1 : 0.95;
  return isSaved && /^content-type\s*:\s*text\/html/im.test(header) ? 1 : 0;
}
