import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { AppError } from "../app-error.ts";
import { codeOf, isMissing, mapDiskErrors } from "./map-disk-errors.ts";

const { toError, onDisk } = mapDiskErrors(({ isFull, detail, cause }) =>
  isFull ? new AppError("STORAGE_FULL", { detail }, cause) : new AppError("STORAGE_UNAVAILABLE", { detail }, cause),
);

async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "attune-disk-errors-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

const thrownBy = (work: () => Promise<unknown>): Promise<unknown> => work().catch((error: unknown) => error);

test("what the file system refuses gets a reason, and what it said stays in the cause", async () => {
  const folder = await makeFolder();
  const file = join(folder, "file");
  await writeFile(file, "a");
  const gone = await thrownBy(() => onDisk(() => readFile(join(folder, "none"))));
  expect(gone).toMatchObject({ reason: "STORAGE_UNAVAILABLE", cause: { code: "ENOENT" } });
  expect((gone as AppError).details.detail).toMatch(/gone/);
  const below = await thrownBy(() => onDisk(() => readFile(join(file, "none"))));
  expect(below).toMatchObject({
    cause: { code: "ENOTDIR" },
    details: { detail: expect.stringMatching(/A file lies/) },
  });
  const unusual = await thrownBy(() => onDisk(() => readFile(folder)));
  expect(unusual).toMatchObject({ details: { detail: "The file system says EISDIR." } });
  expect(await onDisk(() => readFile(file, "utf8"))).toBe("a");
});

test("a path that leads nowhere is told from one that cannot be read", async () => {
  const folder = await makeFolder();
  const file = join(folder, "file");
  await writeFile(file, "a");
  const ends = [join(folder, "none"), join(file, "none"), folder].map((path) => thrownBy(() => readFile(path)));
  expect((await Promise.all(ends)).map(isMissing)).toEqual([true, true, false]);
});

test.each(["ENOSPC", "EDQUOT", "EFBIG"])("%s is a disk without room", (code) => {
  const mapped = toError(Object.assign(new Error("written"), { code }));
  expect(mapped).toMatchObject({ reason: "STORAGE_FULL", cause: { code } });
});

test("what is no failure of the file system stays what it is", () => {
  const own = new AppError("STORAGE_DENIED", {}, Object.assign(new Error("refused"), { code: "EACCES" }));
  for (const thrown of [own, new TypeError("a bug"), Object.assign(new Error("b"), { code: 7 }), "text", undefined]) {
    expect(toError(thrown)).toBe(thrown);
  }
  expect([codeOf(undefined), codeOf(Object.assign(new Error("c"), { code: "ERR_INVALID_ARG_TYPE" }))]).toEqual([
    undefined,
    undefined,
  ]);
});
