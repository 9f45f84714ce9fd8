import type { Probe } from "../../detection/probe.ts";
import type { Format } from "../format.ts";

export const yaml: Format = {
  name: "yaml",
  description: "YAML",
  extensions: ["yaml", "yml"],
  mediaTypes: ["application/yaml", "text/yaml", "application/x-yaml", "text/x-yaml"],
  isText: true,
  sniff: ({ headText }: Probe) => (/^%YAML[ \t]+\d/.test(headText ?? "") ? 0.9 : 0),
  load: async () => (await import("./read-yaml.ts")).readYaml,
};
