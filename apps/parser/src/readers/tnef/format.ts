import type { Format } from "../format.ts";

export const tnef: Format = {
  name: "tnef",
  description: "Outlook message packed for transport (winmail.dat), with its attachments",
  extensions: ["tnef", "winmail.dat"],
  mediaTypes: ["application/ms-tnef", "application/vnd.ms-tnef"],
  sniff: ({ headLatin1 }) => (headLatin1.startsWith("\u0078\u009f\u003e\u0022") ? 1 : 0),
  load: async () => (await import("./read-tnef.ts")).readTnef,
};
