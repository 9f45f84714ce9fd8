import type { Probe } from "../../detection/probe.ts";
import type { Format } from "../format.ts";

export const jsonl: Format = {
  name: "jsonl",
  description: "JSON Lines",
  extensions: ["jsonl", "ndjson", "ldjson", "geojsonl"],
  mediaTypes: ["application/jsonl", "application/x-ndjson", "application/x-jsonlines", "application/json-lines"],
  isText: true,
  sniff: ({ headText }: Probe) => {
    const lines = (headText ?? "").slice(0, 32_768).split("\n", 3);
    return lines.length > 2 && lines.slice(0, 2).every(isObject) ? 0.6 : 0;
  },
  load: async () => (await import("./read-jsonl.ts")).readJsonLines,
};

function isObject(line: string): boolean {
  if (!/^[{[]/.test(line)) return false;
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false; // a line of something else
  }
}
