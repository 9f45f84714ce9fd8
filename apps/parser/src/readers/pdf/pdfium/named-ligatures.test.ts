import { describe, expect, test } from "vitest";
import { ligatureOf } from "./named-ligatures.ts";

const names = (...glyphs: string[]) => Buffer.from(`\u0001\u0000Regular${glyphs.join("")}alpha\u0000\u0003`, "latin1");

describe("ligatures that a font names", () => {
  test("the one without a character of its own is read by its letters", () => {
    expect(ligatureOf(names("mu", "f_f_i", "T_h"))).toBe("Th");
    expect(ligatureOf(names("mu", "f_f_j"))).toBe("ffj");
  });

  test("one of those with a character counts where there is no other", () => {
    expect(ligatureOf(names("mu", "f_i"))).toBe("fi");
    expect(ligatureOf(names("T_h", "f_i", "f_l"))).toBe("Th");
  });

  test("none, or several, say nothing", () => {
    expect(ligatureOf(names("f_f_i", "f_l"))).toBeUndefined();
    expect(ligatureOf(names("T_h", "f_j"))).toBeUndefined();
    expect(ligatureOf(Buffer.alloc(0))).toBeUndefined();
  });

  test("bytes that are no names say nothing", () => {
    expect(ligatureOf(Buffer.from("\u0001\u0002T_h\u0003", "latin1"))).toBeUndefined();
  });
});
