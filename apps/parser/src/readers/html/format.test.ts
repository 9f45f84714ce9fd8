import { expect, test } from "vitest";
import { createProbe } from "../../detection/create-probe.ts";
import { detectFormat } from "../../detection/detect-format.ts";
import * as formatModules from "../../formats.ts";

const formats = Object.values(formatModules);
const nameOf = (text: string, fileName = ""): string | undefined =>
  detectFormat(createProbe(Buffer.from(text)), { fileName }, formats)?.format.name;

const xhtml = '<html xmlns="http://www.w3.org/1999/xhtml"><body/></html>';
const header = "From: a@example.org\nTo: b@example.org\nSubject: s\nDate: Mon, 1 Jan 2024 10:00:00 +0000\n";

test.each([
  ["a doctype", "<!DOCTYPE html><p>a", "html"],
  ["a comment before the root", "<!-- a -->\n<html>", "html"],
  ["upper case", "<HTML><BODY>", "html"],
  ["an XML declaration and the namespace", `<?xml version="1.0"?>${xhtml}`, "xhtml"],
  ["the namespace alone", xhtml, "html"],
  ["FictionBook", '<?xml version="1.0"?><FictionBook xmlns="x">', "fb2"],
  ["other XML", '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>', "xml"],
  ["a message", `${header}\nbody`, "eml"],
  ["a mailbox", `From a@example.org Mon Jan  1 10:00:00 2024\n${header}\nbody`, "mbox"],
  [
    "a saved page",
    "From: <Saved by Blink>\nMIME-Version: 1.0\nContent-Type: multipart/related; boundary=b\n\n--b",
    "mhtml",
  ],
  ["a letter that begins like a mailbox", "From all of us, 2024.\nDear Ada,", "txt"],
  ["notes with colons", "Note: this\nDate: today\n\nText", "txt"],
])("%s", (_name, text, format) => {
  expect(nameOf(text)).toBe(format);
});

test("the namespace alone leaves the choice to the name", () => {
  expect(nameOf(xhtml, "a.xhtml")).toBe("xhtml");
  expect(nameOf(xhtml, "a.htm")).toBe("html");
});

test("a fragment of HTML is believed when its name says so", () => {
  expect(nameOf("just words", "a.html")).toBe("html");
});
