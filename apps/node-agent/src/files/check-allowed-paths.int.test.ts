import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { checkAllowedPaths } from "./check-allowed-paths.ts";

let base: string;
beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), "attune-roots-"));
  await mkdir(join(base, "models/small"), { recursive: true });
  await mkdir(join(base, "models-too"));
  await mkdir(join(base, "elsewhere"));
  await writeFile(join(base, "elsewhere/secret"), "secret");
  await symlink(join(base, "elsewhere"), join(base, "models/out"));
  await symlink(join(base, "models/small"), join(base, "elsewhere/in"));
  await symlink(join(base, "nowhere"), join(base, "models/dangling"));
  await symlink(join(base, "models"), join(base, "linked"));
});
afterEach(() => rm(base, { recursive: true, force: true }));

const check = (path: string, folders = ["models"]) =>
  checkAllowedPaths(
    [path],
    folders.map((folder) => join(base, folder)),
  );

test.each(["models", "models/small", "models/small/../small", "elsewhere/in", "models/not-yet/there", "linked/small"])(
  "%s lies inside",
  async (path) => {
    await expect(check(join(base, path))).resolves.toBeUndefined();
    await expect(check(join(base, path), ["elsewhere", "linked"])).resolves.toBeUndefined();
  },
);

test.each([
  "models-too",
  "models/../elsewhere/secret",
  "models/out/secret",
  "models/out/not-there",
  "models/dangling",
  "models/dangling/below",
  "elsewhere/not-there",
  "..",
])("%s does not", async (path) => {
  const refused = { reason: "PATH_NOT_ALLOWED", details: { detail: expect.stringContaining(path) as string } };
  await expect(check(`${base}/${path}`)).rejects.toMatchObject(refused);
});

test("a relative path is one, a mere name is none, and without folders every path is allowed", async () => {
  const outside = relative(process.cwd(), join(base, "elsewhere/secret"));
  await expect(check(outside)).rejects.toMatchObject({ reason: "PATH_NOT_ALLOWED" });
  await expect(check("some-model:7b")).resolves.toBeUndefined();
  await expect(check("/etc/passwd", [])).resolves.toBeUndefined();
  await expect(check("/etc/passwd", ["not-there"])).rejects.toMatchObject({ reason: "PATH_NOT_ALLOWED" });
});
