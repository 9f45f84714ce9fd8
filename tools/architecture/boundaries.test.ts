import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parserLayers } from "./policies.ts";
import { plantedViolations } from "./planted-violations.ts";

const root = join(import.meta.dirname, "../..");
const copy = mkdtempSync(join(tmpdir(), "boundaries-"));
const cycle = "apps/parser/src/document";
let report: readonly { readonly filename: string; readonly code: string }[] = [];

beforeAll(() => {
  for (const path of ["apps", "packages", "package.json", "tsconfig.json", ".oxlintrc.json"]) {
    cpSync(join(root, path), join(copy, path), {
      recursive: true,
      filter: (source) => !/\/(?:corpus|dist)\//.test(source),
    });
  }
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  for (const [path, target] of Object.entries(plantedViolations))
    plant(path, `import * as planted from "${target}";\nvoid planted;\n`);
  plant(`${cycle}/one.ts`, `import { two } from "./two.ts";\nexport const one = (): unknown => two;\n`);
  plant(`${cycle}/two.ts`, `import { one } from "./one.ts";\nexport const two = (): unknown => one;\n`);
  plant("packages/contracts/../stray.ts", "export const nothing = 1;\n");
  const { stdout } = spawnSync(join(root, "node_modules/.bin/oxlint"), ["--format", "json"], {
    cwd: copy,
    encoding: "utf8",
    maxBuffer: 1 << 26,
  });
  report = (JSON.parse(stdout) as { diagnostics: typeof report }).diagnostics;
});

afterAll(() => rmSync(copy, { recursive: true, force: true }));

function plant(path: string, text: string): void {
  mkdirSync(dirname(join(copy, path)), { recursive: true });
  writeFileSync(join(copy, path), text);
}

function findings(path: string): readonly string[] {
  return report.filter(({ filename }) => filename === path).map(({ code }) => code);
}

test.each(Object.keys(plantedViolations))("%s is reported", (path) => {
  expect(findings(path)).toContain("boundaries(dependencies)");
});

test("an import cycle is reported", () => {
  expect(findings(`${cycle}/one.ts`)).toContain("import(no-cycle)");
});

test("a file that belongs to no named element is reported", () => {
  expect(findings("packages/stray.ts")).toContain("boundaries(no-unknown-files)");
});

test("the parser has no folder without a name in the architecture", () => {
  const folders = readdirSync(join(root, "apps/parser/src"), { withFileTypes: true }).filter((entry) =>
    entry.isDirectory(),
  );
  expect(parserLayers).toEqual(expect.arrayContaining(folders.map(({ name }) => name)));
});

test("nothing else breaks a boundary", () => {
  const planted = new Set([...Object.keys(plantedViolations), "packages/stray.ts"]);
  const others = report.filter(({ filename, code }) => code.startsWith("boundaries") && !planted.has(filename));
  expect(others).toEqual([]);
});
