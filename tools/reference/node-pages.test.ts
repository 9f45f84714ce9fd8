import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { nodeHealthReasons } from "@attune/contracts/compute/node-health-reasons.ts";
import { runCauses } from "@attune/contracts/compute/run-causes.ts";
import { nodeReasons } from "@attune/contracts/errors/node-reasons.ts";
import { expect, test } from "vitest";
import { nodePages, nodeRoutes } from "./node-pages.ts";

const root = join(import.meta.dirname, "../..");

/** The product code below a folder as one text. */
function sourcesBelow(folder: string, extension: ".ts" | ".py"): string {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(extension) && !/(?:\.test|\.fixture)\.ts$|(?:^|\/)testing\//.test(path))
    .map((path) => readFileSync(join(root, folder, path), "utf8"))
    .join("\n");
}

const agent = sourcesBelow("apps/node-agent/src", ".ts");
const trainer = sourcesBelow("python/trainer/src", ".py");

test.each(Object.keys(nodeReasons))("%s is given somewhere", (reason) => {
  expect(agent).toContain(`"${reason}"`);
});

test.each(Object.keys(nodeHealthReasons))("the finding %s is found somewhere", (reason) => {
  expect(agent).toContain(`"${reason}"`);
});

test.each(Object.keys(runCauses))("the cause %s is told by the agent or by a worker", (cause) => {
  expect(`${agent}\n${trainer}`).toMatch(new RegExp(`["'\`]${cause}["'\`]`));
});

test("every operation of the node is on the page", () => {
  const folder = join(root, "apps/node-agent/src/http");
  const defined = readdirSync(folder)
    .filter((name) => name.endsWith("-routes.ts"))
    .flatMap((name) =>
      Array.from(
        readFileSync(join(folder, name), "utf8").matchAll(/defineNodeRoute\(\{[^}]*?\bid: "(\w+)"/g),
        ([, id]) => id,
      ),
    );
  expect(defined.length).toBeGreaterThan(0);
  expect(new Set(nodeRoutes.map(({ id }) => id))).toEqual(new Set(defined));
  const text = nodePages()["docs/reference/node-api.md"];
  for (const { method, path } of nodeRoutes) expect(text).toContain(`\`${method} ${path}\``);
});
