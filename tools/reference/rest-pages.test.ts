import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { platformReasons } from "@attune/contracts/errors/platform-reasons.ts";
import { healthReasons } from "@attune/contracts/rest/health-reasons.ts";
import { expect, test } from "vitest";
import { routes } from "./rest-pages.ts";

const root = join(import.meta.dirname, "../..");

function sourcesBelow(folder: string): string {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts") && !path.endsWith(".test.ts"))
    .map((path) => readFileSync(join(root, folder, path), "utf8"))
    .join("\n");
}

const sources = `${sourcesBelow("apps/platform/src")}\n${sourcesBelow("packages/service-kit/src/http")}`;

test.each(Object.keys(platformReasons))("%s is used somewhere", (reason) => {
  expect(sources).toContain(`"${reason}"`);
});

test.each(Object.keys(healthReasons))("the finding %s of health is found somewhere", (reason) => {
  expect(sources).toContain(`"${reason}"`);
});

test("every contract of an operation is on the page", () => {
  const files = readdirSync(join(root, "packages/contracts/src/rest"));
  const defined = files
    .map((file) => readFileSync(join(root, "packages/contracts/src/rest", file), "utf8"))
    .flatMap((text) =>
      [...text.matchAll(/= defineRoute\(\{\s*(?:\.\.\.\w+,\s*)?id: "(\w+)"/g)].map(([, id = ""]) => id),
    );
  expect(new Set<string>(routes.map(({ id }) => id))).toEqual(new Set(defined));
});
