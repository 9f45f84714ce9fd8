import { describeEngine } from "../engine.contract.ts";
import { libreoffice } from "./engine.ts";

const program = process.env["PARSER_LIBREOFFICE_PATH"] ?? "soffice";

describeEngine({
  program,
  definition: libreoffice,
  environment: () => ({ PARSER_LIBREOFFICE_PATH: program }),
  unavailable: {
    environment: { PARSER_LIBREOFFICE_PATH: "/nowhere/soffice" },
    reason: /not found: .*PARSER_LIBREOFFICE_PATH/,
  },
  // A rich text document, which is text, so that it can stand here.
  document: {
    format: "rtf",
    bytes: () => Buffer.from(String.raw`{\rtf1\ansi {\b Bold} and plain.\par Second.\par}`),
  },
  expected: /^\*\*Bold\*\* and plain\.\n\nSecond\.\n$/,
  failures: [
    {
      name: "a conversion that brings nothing, with status 0",
      reason: "ENGINE_FAILED",
      environment: () => ({ PARSER_LIBREOFFICE_PATH: "true" }),
    },
    {
      name: "a conversion that ends with status 1",
      reason: "ENGINE_FAILED",
      environment: () => ({ PARSER_LIBREOFFICE_PATH: "false" }),
    },
  ],
});
