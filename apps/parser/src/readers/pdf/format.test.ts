import { expect, test } from "vitest";
import { createProbe } from "../../detection/create-probe.ts";
import { detectFormat } from "../../detection/detect-format.ts";
import * as formatModules from "../../formats.ts";

function nameOf(start: string, distanceBytes: number, fileName = ""): string | undefined {
  const bytes = Buffer.concat([Buffer.from(start, "latin1"), Buffer.alloc(distanceBytes), Buffer.from("%PDF-1.7\n")]);
  return detectFormat(createProbe(bytes), { fileName }, Object.values(formatModules))?.format.name;
}

test("a header within the first 1024 bytes makes a PDF, one far behind only where nothing speaks against it", () => {
  expect(nameOf("", 0)).toBe("pdf");
  expect(nameOf("\0", 1000)).toBe("pdf");
  expect(nameOf("\0", 5000)).toBe("pdf");
});

test.each([
  ["cpio", "070707"],
  ["cpio, new", "070701"],
  ["winmail.dat", "\x78\x9f\x3e\x22"],
  ["ar", "!<arch>\n"],
])("a PDF stored inside %s does not make it one, whatever its name", (_, start) => {
  expect(nameOf(start, 5000)).not.toBe("pdf");
  expect(nameOf(start, 5000, "a.pdf")).not.toBe("pdf");
});
