import { describeEngine } from "../engine.contract.ts";
import { builtin } from "./engine.ts";

describeEngine({
  definition: builtin,
  environment: () => ({}),
  document: { format: "html", bytes: () => Buffer.from("<h1>Title</h1><p>Text</p>") },
  expected: /^# Title\n\nText\n$/,
  failures: [{ name: "a damaged document", reason: "DOCUMENT_CORRUPT", format: "docx", bytes: Buffer.from("PK") }],
});
