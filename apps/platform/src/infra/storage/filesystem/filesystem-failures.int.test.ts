import { spawn } from "node:child_process";
import { chmod, mkdir, mkdtemp, readdir, rename, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hasProgram } from "@attune/testkit/has-program.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { collect, digestOf, readObject, reasonOf } from "../store-fixture.contract.ts";
import { fillStoreProgram } from "./fill-store.fixture.ts";
import { createFilesystemStore, type FilesystemStore } from "./filesystem-store.ts";

const mountObstacle = await findMountObstacle();

describe("the file system store", () => {
  let folder: string;
  let path: string;
  let store: FilesystemStore;
  const open = () => createFilesystemStore({ path, publicUrl: "http://localhost:8080" });

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "attune-store-"));
    path = join(folder, "store");
    store = await open();
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it("does not take a volume that is gone for an empty store", async () => {
    await store.put("a/b", Buffer.from("content"));
    await rename(path, join(folder, "unmounted"));
    const calls: (() => Promise<unknown>)[] = [
      () => store.put("a/c", Buffer.from("x")),
      () => store.get("a/b"),
      () => store.head("a/b"),
      () => store.delete("a/b"),
      () => store.copy("a/b", "a/d"),
      () => store.createUpload("a/e"),
      () => store.sweep({ olderThanMs: 0 }),
      () => collect(store.list("")),
    ];
    for (const call of calls) expect(await reasonOf(call)).toBe("STORAGE_UNAVAILABLE");
    expect(await store.probe()).toEqual({
      isAvailable: false,
      unavailableReason: expect.stringMatching(/STORAGE_UNAVAILABLE.*volume may not be mounted/),
    });
    expect(await readdir(folder)).toEqual(["unmounted"]);
    await rename(join(folder, "unmounted"), path);
    expect(String(await readObject(store, "a/b"))).toBe("content");
  });

  it("tells when an object's file became shorter while it was read", async () => {
    await store.put("cut", Buffer.alloc(2 ** 20));
    const { stream } = await store.get("cut");
    await truncate(join(path, "objects/cut.object"), 300_000);
    await expect(stream.toArray()).rejects.toMatchObject({ reason: "STORAGE_OBJECT_DAMAGED" });
  });

  it("reads through no symbolic link", async () => {
    await symlink("/etc/hostname", join(path, "objects/link.object"));
    expect(await reasonOf(() => store.get("link"))).toBe("STORAGE_UNAVAILABLE");
  });

  it("passes over what is not its own", async () => {
    await store.put("a", Buffer.from("x"));
    await writeFile(join(path, "objects/.DS_Store"), "x");
    await writeFile(join(path, "objects/%ZZ.object"), "x");
    await mkdir(join(path, "objects/lost+found"));
    expect((await collect(store.list(""))).map(({ key }) => key)).toEqual(["a"]);
  });

  it("keeps its link secret over a restart, readable for its user only", async () => {
    const { url } = await store.signGet("a", { expiresInSeconds: 60 });
    const again = await Promise.all([open(), open(), open()]);
    for (const other of again) expect(other.verifyLink("GET", url)).toMatchObject({ key: "a" });
    await writeFile(join(path, "link-secret"), "short");
    expect(await reasonOf(open)).toBe("STORAGE_UNAVAILABLE");
  });

  it("removes what a killed process left, when it is old enough", async () => {
    await writeFile(join(path, "temporary/0a1b"), "half");
    expect(await store.sweep({ olderThanMs: 60_000 })).toEqual({ removedCount: 0 });
    expect(await store.sweep({ olderThanMs: -1_000 })).toEqual({ removedCount: 1 });
    expect(await readdir(join(path, "temporary"))).toEqual([]);
  });

  it.skipIf(process.getuid?.() === 0)("tells when it may not write", async () => {
    await chmod(join(path, "temporary"), 0o500);
    expect(await reasonOf(() => store.put("a", Buffer.from("x")))).toBe("STORAGE_DENIED");
    await chmod(join(path, "temporary"), 0o700);
  });

  // The folder is a small disk of its own, in a name space that only the child sees; or files may only be small.
  const disks: readonly (readonly [name: string, missing: string | undefined, command: readonly string[]])[] = [
    ["a full disk", mountObstacle, mountedCommand()],
    ["a limit of file sizes", hasProgram("prlimit") ? undefined : "no prlimit", ["prlimit", "--fsize=3000000"]],
  ];
  for (const [name, missing, command] of disks) {
    if (missing !== undefined) console.warn(`skipped: the file system store on ${name}: ${missing}`);
    it.skipIf(missing !== undefined)(`tells ${name}, leaves nothing, and goes on when there is room`, async () => {
      const { output } = await run([...command, process.execPath, fillStoreProgram, path]);
      expect(JSON.parse(output)).toEqual({
        first: digestOf(Buffer.alloc(1_000_000)),
        reason: "STORAGE_FULL",
        partReason: "STORAGE_FULL",
        isThere: false,
        temporary: [],
        after: digestOf(Buffer.alloc(1_000_000)),
        isFirstRight: true,
      });
    });
  }
});

function mountedCommand(): string[] {
  // Of the store's folder, made before, the child sees a disk of 4 MiB.
  const script = 'mount -t tmpfs -o size=4m tmpfs "$3" && exec "$@"';
  return ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", script, "sh"];
}

async function findMountObstacle(): Promise<string | undefined> {
  const folder = await mkdtemp(join(tmpdir(), "attune-mount-"));
  const { status } = await run([...mountedCommand(), "true", "-", folder]);
  await rm(folder, { recursive: true });
  return status === 0 ? undefined : "this machine lets no user mount a tmpfs in a name space";
}

function run([program = "", ...parameters]: readonly string[]) {
  return new Promise<{ status: number | null; output: string }>((resolve) => {
    const child = spawn(program, parameters, { stdio: ["ignore", "pipe", "inherit"] });
    let output = "";
    child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
    child.once("error", () => resolve({ status: -1, output }));
    child.once("close", (status) => resolve({ status, output }));
  });
}
