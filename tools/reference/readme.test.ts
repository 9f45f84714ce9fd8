import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
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

test("builtin reads as many file types as the README says", () => {
  const readable = readFileSync(join(root, "docs/reference/formats.md"), "utf8").match(/\| • \|$/gm) ?? [];
  expect(readme).toContain("[over fifty file types]");
  expect(readable.length).toBeGreaterThan(50);
});

const pages = ["README.md", "CONTRIBUTING.md", ...listMarkdown("docs")];

test.each(pages)("%s links only to files and folders that exist", (page) => {
  const text = readFileSync(join(root, page), "utf8").replace(/^(`{3,})[\s\S]*?^\1/gm, "");
  const links = Array.from(
    text.matchAll(/\]\((?!https?:|mailto:)([^)#\s]+)(?:#[^)]*)?\)/g),
    ([, target]) => target ?? "",
  );
  expect(links.filter((target) => !existsSync(join(root, dirname(page), target)))).toEqual([]);
});

// Reports quote names and messages of documents, which may look like links.
function listMarkdown(folder: string): readonly string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md") && !/^benchmarks\/(corpus|empty-results|hostile)\.md$/.test(name))
    .map((name) => join(folder, name));
}
