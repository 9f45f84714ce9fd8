import { createRequire } from "node:module";
import { expect, it } from "vitest";
import { detectEncoding } from "./detect-encoding.ts";

const hasTables = () => Object.keys(createRequire(import.meta.url).cache).some((path) => path.includes("jschardet"));

it("loads its tables when the first file of unknown encoding comes, because few files need them", () => {
  expect(hasTables()).toBe(false);
  const russian = Uint8Array.from(Array.from("Съешь же ещё этих мягких французских булок", toWindows1251));
  expect(detectEncoding(russian)?.label).toBe("windows-1251");
  expect(hasTables()).toBe(true);
});

function toWindows1251(letter: string): number {
  const code = letter.charCodeAt(0);
  if (letter === "ё") return 0xb8;
  return code < 0x80 ? code : code - 0x0410 + 0xc0;
}
