import type { Format } from "../format.ts";

export const msg: Format = {
  name: "msg",
  description: "Outlook item (MSG): message, appointment, task or note, with its attachments",
  extensions: ["msg", "oft"],
  mediaTypes: ["application/vnd.ms-outlook"],
  sniff: ({ compound }) => {
    if (compound === undefined) return 0;
    if (compound.names.has("__properties_version1.0")) return 1;
    return [...compound.names].some((name) => name.startsWith("__substg1.0_")) ? 0.9 : 0;
  },
  load: async () => (await import("./read-msg.ts")).readMsg,
};
