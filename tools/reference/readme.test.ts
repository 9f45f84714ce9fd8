import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");
const readme = readFileSync(join(root, "README.md"), "utf8");

test("the example of the README is the real text of the document it links", () => {
  const example = /````markdown\n([\s\S]*?)\n````/.exec(readme)?.[1] ?? "";
  const path = /\[a Word document\]\(([^)]+)\)/.exec(readme)?.[1] ?? "";
  const text = readFileSync(join(root, `${path}.golden.md`), "utf8").replace(/^---\n[\s\S]*?\n---\n\n/, "");

  expect(example.length).toBeGreaterThan(200);
  expect(text.startsWith(example)).toBe(true);
});

test("every file and folder that the README links exists", () => {
  const links = Array.from(readme.matchAll(/\]\((?!https?:)([^)#]+)\)/g), ([, target]) => target ?? "");
  expect(links.filter((target) => !exists(target))).toEqual([]);
});

function exists(target: string): boolean {
  try {
    readFileSync(join(root, target));
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EISDIR";
  }
}
