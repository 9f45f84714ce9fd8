import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parserReasons } from "@attune/contracts/errors/reasons.ts";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");

/** All product code of the parser as one text. */
const sources = readdirSync(join(root, "apps/parser/src"), { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".ts") && !path.endsWith(".test.ts"))
  .map((path) => readFileSync(join(root, "apps/parser/src", path), "utf8"))
  .join("\n");
const page = readFileSync(join(root, "docs/reference/reasons.md"), "utf8");

test.each(Object.keys(parserReasons))("%s is thrown somewhere, and documented", (reason) => {
  expect(sources).toMatch(new RegExp(`AppError\\(\\s*"${reason}"`));
  expect(page).toContain(`\`${reason}\``);
});
