import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AppError } from "@attune/service-kit/app-error.ts";
import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type FileRoot, openInside } from "./open-inside.ts";

let base: string;
let root: string;
beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), "attune-inside-"));
  root = join(base, "root");
  await mkdir(join(root, "a/b"), { recursive: true });
  await mkdir(join(root, ".hidden"));
  await mkdir(join(base, "rootlike"));
  for (const path of ["root/a/f", "root/a/b/f", "root/.hidden/f", "f", "rootlike/f"]) {
    await writeFile(join(base, path), path);
  }
  await symlink("..", join(root, "a/up"));
  await symlink(base, join(root, "a/out"));
  await symlink("../.hidden", join(root, "a/hid"));
});
afterAll(() => rm(base, { recursive: true, force: true }));

const piece = fc.constantFrom(
  "a",
  "b",
  "f",
  "up",
  "out",
  "hid",
  ".hidden",
  "root",
  "rootlike",
  "..",
  ".",
  "",
  "\0",
  "%2e%2e",
);

/** What is read, or why nothing is. */
async function readInside(path: string, rootName: string | undefined, roots: readonly FileRoot[]): Promise<string> {
  try {
    await using file = await openInside({ path, root: rootName }, roots);
    const content = await file.handle.readFile("utf8");
    return file.path === join(base, content) ? content : `${file.path} is said to hold ${content}`;
  } catch (error) {
    return error instanceof AppError ? error.reason : String(error);
  }
}

describe("paths of files", () => {
  it("of any form lead to a file inside the root that is not hidden, or nowhere", async () => {
    const roots: FileRoot[] = [{ name: "runs", path: root, isHidden: (name) => name.startsWith(".") }];
    const property = fc.asyncProperty(fc.array(piece, { maxLength: 7 }), fc.boolean(), async (pieces, isAbsolute) => {
      const path = isAbsolute ? join(base, "x", "..") + "/" + pieces.join("/") : pieces.join("/");
      const found = await readInside(path, isAbsolute ? undefined : "runs", roots);
      expect(["NODE_FILE_NOT_READABLE", "root/a/f", "root/a/b/f"]).toContain(found);
    });
    await fc.assert(property, {
      numRuns: 1500,
      examples: [
        [["a", "f"], false],
        [["root", "a", "up", "a", "b", "f"], true],
      ],
    });
  });
});
