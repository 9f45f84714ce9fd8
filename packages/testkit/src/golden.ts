import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/**
 * The text of a golden file. With UPDATE_GOLDEN=1 in the environment the file is first written with `actual`; look at the
 * difference before you commit it.
 */
export function golden(path: string, actual: string): string {
  if (process.env["UPDATE_GOLDEN"] === "1") {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, actual);
  }
  return readFileSync(path, "utf8");
}
