import { describe, expect, test } from "vitest";
import { Budget } from "../limits/budget.ts";
import { defaultLimits } from "../limits/default-limits.ts";
import { decompressRtf } from "./decompress-rtf.ts";
import { extractHtml } from "./extract-html.ts";

const budget = (): Budget => new Budget(defaultLimits);
const bytesOf = (hex: string): Buffer => Buffer.from(hex.replace(/\s/g, ""), "hex");

describe("compressed RTF", () => {
  // The examples of [MS-OXRTFCP] 3.1.1 and 3.2.
  test("expands references to the text before", () => {
    const compressed = bytesOf(
      "2d0000002b0000004c5a4675f1c5c7a703000a007263706731323542320af32068656c090020627705b06c647d0a800fa0",
    );
    expect(decompressRtf(compressed, budget()).toString("latin1")).toBe(
      "{\\rtf1\\ansi\\ansicpg1252\\pard hello world}\r\n",
    );
  });

  test("references may reach into what they write", () => {
    const compressed = bytesOf("1a0000001c0000004c5a4675e2d44b51410004205758595a0d6e7d010eb0");
    expect(decompressRtf(compressed, budget()).toString("latin1")).toBe("{\\rtf1 WXYZWXYZWXYZWXYZWXYZ}");
  });

  test.each(["", "00", "2d0000002b00000041414141f1c5c7a7"])("bytes that are none (%s) are refused", (hex) => {
    expect(() => decompressRtf(bytesOf(hex), budget())).toThrow(/DOCUMENT_CORRUPT/);
  });

  test("a stated size of 4 GiB allocates no more than the bytes can give", () => {
    const compressed = bytesOf("1a000000ffffffff4c5a4675e2d44b51410004205758595a0d6e7d010eb0");
    expect(decompressRtf(compressed, budget()).length).toBe(28);
  });
});

describe("HTML inside RTF", () => {
  const wrap = (body: string): Buffer =>
    Buffer.from(`{\\rtf1\\ansi\\ansicpg1251\\fromhtml1 {\\fonttbl{\\f0 Arial;}}${body}}`, "latin1");

  test("is what stands in html tags and outside of htmlrtf", () => {
    const rtf = wrap(
      "{\\*\\htmltag64 <p>}\\htmlrtf {\\htmlrtf0 a\\htmlrtf }\\htmlrtf0 {\\*\\htmltag84 &amp;}b\\line{\\*\\htmltag72 </p>}{\\*\\mhtmltag1 <x>}",
    );
    expect(extractHtml(rtf)).toBe("<p>a&amp;b\r\n</p>");
  });

  test("has its bytes in the code page of the RTF, and Unicode characters once", () => {
    expect(extractHtml(wrap("\\'cb\\'e0 \\u1083\\'eb\\u8364?"))).toBe("Ла л€");
  });

  test("is undefined for real RTF", () => {
    expect(extractHtml(Buffer.from("{\\rtf1 text}"))).toBeUndefined();
  });
});
