import type { Probe } from "../../detection/probe.ts";
import type { Format } from "../format.ts";
import { languages } from "./languages.ts";

export const code: Format = {
  name: "code",
  description: "Source code, scripts and configuration",
  extensions: Object.keys(languages),
  mediaTypes: [
    "text/x-source",
    "text/javascript",
    "application/javascript",
    "application/typescript",
    "text/css",
    "text/x-python",
    "text/x-java-source",
    "text/x-c",
    "text/x-c++src",
    "text/x-csharp",
    "text/x-go",
    "text/x-rust",
    "text/x-ruby",
    "text/x-php",
    "application/x-httpd-php",
    "application/x-sh",
    "text/x-shellscript",
    "application/x-perl",
    "text/x-perl",
    "application/sql",
    "text/x-sql",
    "text/x-diff",
    "text/x-ini",
  ],
  isText: true,
  sniff: ({ headText }: Probe) =>
    /^#!\s?\/[^\n]{1,200}\n/.test(headText ?? "") || (headText ?? "").startsWith("<?php") ? 0.5 : 0,
  load: async () => (await import("./read-code.ts")).readCode,
};
