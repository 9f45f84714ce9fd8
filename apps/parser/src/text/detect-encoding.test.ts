import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, it } from "vitest";
import { detectEncoding } from "./detect-encoding.ts";

const russian = Uint8Array.from(Array.from("Съешь же ещё этих мягких французских булок", toWindows1251));

it("finds the encoding of a text that says nothing of it", () => {
  expect(detectEncoding(russian)?.label).toBe("windows-1251");
});

it("loads its tables when the first file of unknown encoding comes, because few files need them", () => {
  // A process of its own, because tests share the modules that they load.
  const program = `
    import { createRequire } from "node:module";
    import { detectEncoding } from ${JSON.stringify(join(import.meta.dirname, "detect-encoding.ts"))};
    const hasTables = () => Object.keys(createRequire(import.meta.url).cache).some((path) => path.includes("jschardet"));
    const before = hasTables();
    detectEncoding(Uint8Array.from(${JSON.stringify([...russian])}));
    console.log(JSON.stringify([before, hasTables()]));`;
  // Beside the source, so that it finds what the source finds.
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "--eval", program], {
    cwd: import.meta.dirname,
    encoding: "utf8",
  });
  expect(stderr).toBe("");
  expect(JSON.parse(stdout)).toEqual([false, true]);
});

function toWindows1251(letter: string): number {
  const code = letter.charCodeAt(0);
  if (letter === "ё") return 0xb8;
  return code < 0x80 ? code : code - 0x0410 + 0xc0;
}
