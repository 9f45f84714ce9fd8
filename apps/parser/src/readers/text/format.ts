import type { Format } from "../format.ts";

export const text: Format = {
  name: "txt",
  description: "Plain text in any encoding",
  extensions: ["txt", "text", "log", "asc", "readme", "license", "copying", "changelog", "authors", "notice", "nfo"],
  mediaTypes: ["text/plain"],
  isText: true,
  load: async () => (await import("./read-text.ts")).readText,
};
