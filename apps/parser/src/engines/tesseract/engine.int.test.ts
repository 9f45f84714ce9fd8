import { makePictureOfText } from "@attune/testkit/make-picture-of-text.ts";
import { describeEngine } from "../engine.contract.ts";
import { tesseract } from "./engine.ts";

const program = process.env["PARSER_TESSERACT_PATH"] ?? "tesseract";

describeEngine({
  program,
  definition: tesseract,
  peer: { kind: "program", environment: (place) => ({ PARSER_TESSERACT_PATH: place }) },
  environment: () => ({ PARSER_TESSERACT_PATH: program }),
  unavailable: {
    environment: { PARSER_TESSERACT_PATH: "/nowhere/tesseract" },
    reason: /not found: .*PARSER_TESSERACT_PATH/,
  },
  document: { format: "bmp", bytes: () => makePictureOfText() },
  expected: /HELLO/,
  failures: [
    { name: "a file that is no picture", reason: "DOCUMENT_CORRUPT", bytes: Buffer.from("no picture") },
    {
      name: "a language that is not installed, beside one that is",
      reason: "ENGINE_UNAVAILABLE",
      overrides: { ocr_languages: "eng+nosuch" },
    },
    {
      name: "a language that is not installed",
      reason: "ENGINE_UNAVAILABLE",
      overrides: { ocr_languages: "nosuch" },
    },
  ],
});
