import { spawnSync } from "node:child_process";
import {
  access,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AppError } from "@attune/service-kit/app-error.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createSpool } from "./create-spool.ts";
import { ownFolderPrefix } from "./dead-folders.ts";
import type { SpoolFolder } from "./spool-folder.ts";
import type { Spool } from "./spool.ts";
import { spoolFile } from "./spooled-file.ts";

let workDirectory = "";
let spool: Spool;
const never = new AbortController().signal;
const kib = 1024;

beforeEach(async () => {
  workDirectory = await realpath(await mkdtemp(join(tmpdir(), "spool-test-")));
  spool = await createSpool({ workDirectory, maxBytes: 100 * kib, memoryBytes: 10 * kib });
});

afterEach(async () => {
  await spool.close();
  await rm(workDirectory, { recursive: true, force: true });
});

async function* chunksOf(body: Buffer, chunkBytes: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < body.length; at += chunkBytes) yield await Promise.resolve(body.subarray(at, at + chunkBytes));
}

const bytes = (sizeBytes: number) => Buffer.from(Array.from({ length: sizeBytes }, (_, index) => (index * 7) & 255));

async function lastChunk(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array | undefined> {
  let last: Uint8Array | undefined;
  for await (const chunk of chunks) last = chunk;
  return last;
}

async function listFiles(): Promise<string[]> {
  const entries = await readdir(workDirectory, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

describe("the spool", () => {
  it.each([
    ["in memory", 1, 1],
    ["in memory", 10 * kib, 100],
    ["on disk", 10 * kib + 1, 100],
    ["on disk", 100 * kib, 7_777],
  ])("keeps a file %s of %i bytes in chunks of %i", async (place, sizeBytes, chunkBytes) => {
    const body = bytes(sizeBytes);
    const file = await spool.store({ stream: chunksOf(body, chunkBytes), sizeBytes }, never);
    expect(await listFiles()).toHaveLength(place === "on disk" ? 1 : 0);
    expect(file.sizeBytes).toBe(sizeBytes);
    expect(body.equals(await file.readBytes())).toBe(true);
    const path = await file.toPath();
    expect(await file.toPath()).toBe(path);
    expect(body.equals(await readFile(path))).toBe(true);
    await file[Symbol.asyncDispose]();
    await file[Symbol.asyncDispose]();
    expect(await listFiles()).toEqual([]);
    await expect(file.readBytes()).rejects.toThrow("disposed");
  });

  it.each([
    ["memory", 10 * kib],
    ["a file", 90 * kib],
  ])("gives the bytes of %s in pieces, as often as asked, and here and there", async (_, sizeBytes) => {
    const body = bytes(sizeBytes);
    await using file = await spool.store({ stream: chunksOf(body, 1000) }, never);
    for (let count = 0; count < 2; count++) {
      const chunks: Buffer[] = [];
      for await (const chunk of file.readChunks()) chunks.push(Buffer.from(chunk));
      expect(body.equals(Buffer.concat(chunks))).toBe(true);
    }
    await using opened = await file.openForAccess();
    expect(opened.sizeBytes).toBe(sizeBytes);
    for (const [offset, length] of [
      [0, 4],
      [5000, 5000],
      [sizeBytes - 3, 100],
      [sizeBytes, 1],
      [2 ** 40, 8],
    ] as const) {
      expect(body.subarray(offset, offset + length).equals(opened.readAt(offset, length))).toBe(true);
    }
  });

  it("frees the memory of a small file with it, unless somebody has the bytes or is at them", async () => {
    const large = await createSpool({ workDirectory, maxBytes: 1 << 20, memoryBytes: 1 << 20 });
    const make = () => large.store({ stream: chunksOf(bytes(100_000), 1000) }, never);
    const [alone, kept, used] = [await make(), await make(), await make()];
    const lent = await lastChunk(alone.readChunks());
    const whole = await kept.readBytes();
    const reading = used.readChunks()[Symbol.asyncIterator]();
    const { value: current } = await reading.next();
    for (const file of [alone, kept, used]) await file[Symbol.asyncDispose]();
    expect([lent?.length, whole.length, current?.length]).toEqual([0, 100_000, 100_000]);
    await reading.return?.();
    expect(current?.length).toBe(0);
    await large.close();
  });

  it("refuses to make one buffer of a file that is larger than a buffer", async () => {
    const file = spoolFile(join(workDirectory, "none"), 2 ** 31, {} as SpoolFolder);
    await expect(file.readBytes()).rejects.toMatchObject({
      reason: "FILE_TOO_LARGE",
      details: { detail: expect.stringContaining("It has 2147483648 bytes") },
    });
  });

  it("lets nobody else look at its files", async () => {
    await using file = await spool.store({ stream: chunksOf(bytes(50 * kib), kib) }, never);
    const path = await file.toPath();
    expect(((await stat(path)).mode & 0o777).toString(8)).toBe("600");
    expect(((await stat(join(path, ".."))).mode & 0o777).toString(8)).toBe("700");
  });

  it("makes the path of a small file once, however many ask", async () => {
    await using file = await spool.store({ stream: chunksOf(bytes(kib), kib) }, never);
    const paths = await Promise.all([file.toPath(), file.toPath(), file.toPath()]);
    expect(new Set(paths).size).toBe(1);
    expect(await listFiles()).toHaveLength(1);
  });

  it("refuses at once what is declared too large, and leaves the stream", async () => {
    let isLeft = false;
    let isRead = false;
    const stream: AsyncIterable<Uint8Array> = {
      [Symbol.asyncIterator]: () => ({
        next: async () => {
          isRead = true;
          return Promise.resolve({ done: false, value: bytes(1) });
        },
        return: async () => {
          isLeft = true;
          return Promise.resolve({ done: true, value: undefined });
        },
      }),
    };
    const storing = spool.store({ stream, sizeBytes: 100 * kib + 1 }, never);
    await expect(storing).rejects.toMatchObject({ reason: "FILE_TOO_LARGE" });
    expect({ isLeft, isRead }).toEqual({ isLeft: true, isRead: false });
  });

  it("stops a stream that turns out too large, and keeps nothing of it", async () => {
    let taken = 0;
    async function* endless(): AsyncGenerator<Uint8Array> {
      for (;;) {
        taken++;
        yield await Promise.resolve(bytes(kib));
      }
    }
    await expect(spool.store({ stream: endless() }, never)).rejects.toMatchObject({ reason: "FILE_TOO_LARGE" });
    expect(taken).toBe(101);
    expect(await listFiles()).toEqual([]);
  });

  it("refuses a file without bytes", async () => {
    await expect(spool.store({ stream: chunksOf(bytes(0), 1) }, never)).rejects.toMatchObject({ reason: "FILE_EMPTY" });
  });

  it("keeps nothing of a stream that fails, and passes the failure on", async () => {
    async function* failing(): AsyncGenerator<Uint8Array> {
      yield await Promise.resolve(bytes(50 * kib));
      throw new AppError("FETCH_TIMEOUT");
    }
    await expect(spool.store({ stream: failing() }, never)).rejects.toMatchObject({ reason: "FETCH_TIMEOUT" });
    expect(await listFiles()).toEqual([]);
  });

  it("stops when the caller aborts, and keeps nothing", async () => {
    const abort = new AbortController();
    async function* aborting(): AsyncGenerator<Uint8Array> {
      for (;;) {
        yield await Promise.resolve(bytes(20 * kib));
        abort.abort(new AppError("CALL_CANCELLED"));
      }
    }
    await expect(spool.store({ stream: aborting() }, abort.signal)).rejects.toMatchObject({ reason: "CALL_CANCELLED" });
    expect(await listFiles()).toEqual([]);
  });

  it("removes everything at the end", async () => {
    await spool.store({ stream: chunksOf(bytes(50 * kib), kib) }, never);
    await spool.close();
    expect(await readdir(workDirectory)).toEqual([]);
  });

  it("keeps a file that came byte by byte", async () => {
    const large = await createSpool({ workDirectory, maxBytes: 1 << 20, memoryBytes: 1 << 20 });
    const file = await large.store({ stream: chunksOf(bytes(200_000), 1) }, never);
    expect(bytes(200_000).equals(await file.readBytes())).toBe(true);
    await large.close();
  });
});

describe("folders of processes that have ended", () => {
  const exists = (name: string) =>
    access(join(workDirectory, name)).then(
      () => true,
      () => false,
    );

  it("are removed at the start, and nothing else is", async () => {
    const [own = ""] = await readdir(workDirectory);
    const place = (await ownFolderPrefix()).split("-")[1] ?? "";
    const dead = `spool-${place}-4194304-123-abcDEF`;
    const reusedId = `spool-${place}-${process.pid}-1-abcDEF`;
    const elsewhere = "spool-0123456789ab-1-123-abcDEF";
    const elsewhereSilent = "spool-0123456789ab-2-123-abcDEF";
    const foreign = "somebody-elses-folder";
    for (const name of [dead, reusedId, elsewhere, elsewhereSilent, foreign]) {
      await mkdir(join(workDirectory, name));
      await writeFile(join(workDirectory, name, "file"), "x");
    }
    const hourAgo = new Date(Date.now() - 3_600_000);
    await utimes(join(workDirectory, elsewhereSilent), hourAgo, hourAgo);
    await symlink(join(workDirectory, foreign), join(workDirectory, `spool-${place}-4194305-123-abcDEF`));
    const second = await createSpool({ workDirectory, maxBytes: kib, memoryBytes: kib });
    const kept = Object.fromEntries(
      await Promise.all(
        [own, dead, reusedId, elsewhere, elsewhereSilent, `${foreign}/file`].map(async (name) => [
          name,
          await exists(name),
        ]),
      ),
    );
    expect(kept).toEqual({
      [own]: true,
      [dead]: false,
      [reusedId]: false,
      [elsewhere]: true,
      [elsewhereSilent]: false,
      [`${foreign}/file`]: true,
    });
    await second.close();
  });
});

describe("a full disk", () => {
  // One shell holds the small file system: it is unmounted when the namespace of the shell ends.
  const script = `
    mount -t tmpfs -o size=64k tmpfs "$1" && exec "$2" --input-type=module -e '
      const { createSpool } = await import(process.argv[1]);
      const { readdir } = await import("node:fs/promises");
      const spool = await createSpool({ workDirectory: process.argv[2], maxBytes: 1 << 20, memoryBytes: 1024 });
      async function* large() { for (let i = 0; i < 100; i++) yield Buffer.alloc(4096); }
      const reason = await spool.store({ stream: large() }, new AbortController().signal).catch((error) => error.reason);
      const small = await spool.store({ stream: [Buffer.alloc(1000)] }, new AbortController().signal);
      await small.toPath();
      console.log(reason, (await readdir(process.argv[2], { recursive: true })).length);
    ' "$3" "$1"`;

  it("is told as such, keeps nothing, and does not stop smaller files", async (context) => {
    const modulePath = join(import.meta.dirname, "create-spool.ts");
    const run = spawnSync("unshare", ["-m", "sh", "-c", script, "sh", workDirectory, process.execPath, modulePath], {
      encoding: "utf8",
    });
    if (/unshare|mount:|EPERM/.test(run.stderr) || run.error !== undefined) {
      console.warn(`skipped: no small file system can be mounted here: ${run.stderr.trim()}`);
      context.skip();
    }
    expect(`${run.stdout}${run.stderr}`.trim()).toBe("STORAGE_FULL 2");
    await expect(readdir(workDirectory)).resolves.toHaveLength(1);
  });
});
