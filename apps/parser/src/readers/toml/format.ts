import type { Format } from "../format.ts";

export const toml: Format = {
  name: "toml",
  description: "TOML",
  extensions: ["toml"],
  mediaTypes: ["application/toml", "text/toml"],
  isText: true,
  load: async () => (await import("./read-toml.ts")).readToml,
};
