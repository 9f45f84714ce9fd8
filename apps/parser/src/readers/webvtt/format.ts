import type { Probe } from "../../detection/probe.ts";
import type { Format } from "../format.ts";

export const webvtt: Format = {
  name: "vtt",
  description: "WebVTT captions",
  extensions: ["vtt", "webvtt"],
  mediaTypes: ["text/vtt"],
  isText: true,
  sniff: ({ headText }: Probe) => (/^WEBVTT(?:[ \t\r\n]|$)/.test(headText ?? "") ? 1 : 0),
  load: async () => (await import("./read-webvtt.ts")).readWebVtt,
};
