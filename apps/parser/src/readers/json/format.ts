import type { Probe } from "../../detection/probe.ts";
import type { Format } from "../format.ts";

export const json: Format = {
  name: "json",
  description: "JSON",
  extensions: ["json", "geojson", "topojson", "jsonld", "webmanifest", "har"],
  mediaTypes: ["application/json", "text/json", "application/geo+json", "application/ld+json"],
  isText: true,
  sniff: ({ headText, head, sizeBytes }: Probe) => {
    const text = headText ?? "";
    if (!/^\s*[[{]/.test(text)) return 0;
    if (sizeBytes > head.length) return /^\s*(?:\[\s*[[{"\d-]|\{\s*"(?:[^"\\]|\\.)*"\s*:)/.test(text) ? 0.5 : 0;
    return isJson(text) ? 0.5 : 0;
  },
  load: async () => (await import("./read-json.ts")).readJson,
};

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false; // something else in brackets
  }
}
