import { makeCompound } from "@attune/testkit/make-encrypted-package.ts";
import { describeEngine } from "../engine.contract.ts";
import { libreoffice } from "./engine.ts";

/** All of a Word document that a program sees before it asks for the password. */
function makeEncryptedWord(): Buffer {
  const header = Buffer.alloc(4096);
  header.writeUInt16LE(0xa5ec, 0);
  header.writeUInt16LE(0x0100, 10);
  return makeCompound([["WordDocument", header]]);
}

const program = process.env["PARSER_LIBREOFFICE_PATH"] ?? "soffice";

describeEngine({
  program,
  definition: libreoffice,
  peer: { kind: "program", environment: (place) => ({ PARSER_LIBREOFFICE_PATH: place }) },
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
    {
      name: "a document protected by a password, which brings nothing either",
      reason: "PASSWORD_REQUIRED",
      environment: () => ({ PARSER_LIBREOFFICE_PATH: "true" }),
      format: "doc",
      bytes: makeEncryptedWord(),
    },
  ],
});
