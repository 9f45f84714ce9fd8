import { spawn, spawnSync } from "node:child_process";
import {
  appendFile,
  link,
  mkdir,
  mkdtemp,
  readdir,
  readlink,
  realpath,
  rename,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { AppError } from "@attune/service-kit/app-error.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createLocalFileSource } from "./local-file-source.ts";

let folder = "";
let root = "";
const secret = "outside";

beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "local-file-")));
  root = join(folder, "data");
  await mkdir(join(root, "sub"), { recursive: true });
  await mkdir(join(folder, "data-evil"));
  await mkdir(join(folder, "outside"));
  await writeFile(join(root, "plain.txt"), "inside");
  await writeFile(join(root, "sub", "名前 é.txt"), "unicode");
  await writeFile(join(root, "sub", "100% #1?.txt"), "escaped");
  await writeFile(join(root, "empty.txt"), "");
  await writeFile(join(folder, "data-evil", "twin.txt"), secret);
  await writeFile(join(folder, "outside", "secret.txt"), secret);
  await symlink(join(folder, "outside", "secret.txt"), join(root, "link.txt"));
  await symlink(join(folder, "outside"), join(root, "linked"));
  await symlink(join(root, "sub"), join(root, "inner"));
  await symlink(root, join(folder, "alias"));
  await link(join(folder, "outside", "secret.txt"), join(root, "hard.txt"));
  spawnSync("mkfifo", [join(root, "fifo")]);
});

afterAll(() => rm(folder, { recursive: true, force: true }));

interface Options {
  readonly roots?: readonly string[];
  readonly isHardLinkAllowed?: boolean;
}

async function openText(url: string, { roots = [root], isHardLinkAllowed = false }: Options = {}) {
  try {
    const source = createLocalFileSource({ roots, isHardLinkAllowed });
    const { stream, ...rest } = await source.open(url, new AbortController().signal);
    const chunks = [];
    for await (const chunk of stream) chunks.push(Buffer.from(chunk));
    return { ...rest, text: Buffer.concat(chunks).toString() };
  } catch (error) {
    return error instanceof AppError ? error.reason : String(error);
  }
}

const urlOf = (...parts: string[]): string => pathToFileURL(join(root, ...parts)).href;

describe("the file source", () => {
  it("reads what lies inside the open folders", async () => {
    expect(await openText(urlOf("plain.txt"))).toEqual({ text: "inside", sizeBytes: 6, fileName: "plain.txt" });
    expect(await openText(urlOf("empty.txt"))).toEqual({ text: "", sizeBytes: 0, fileName: "empty.txt" });
    expect(await openText(`file://localhost${root}/plain.txt`)).toMatchObject({ text: "inside" });
    expect(await openText(urlOf("sub", "..", "plain.txt"))).toMatchObject({ text: "inside" });
    expect(await openText(urlOf("inner", "名前 é.txt"))).toMatchObject({ text: "unicode" });
  });

  it("F14 reads any name", async () => {
    expect(await openText(urlOf("sub", "名前 é.txt"))).toMatchObject({ text: "unicode", fileName: "名前 é.txt" });
    expect(await openText(urlOf("sub", "100% #1?.txt"))).toMatchObject({ text: "escaped" });
  });

  it("reads nothing when no folder is open", async () => {
    expect(await openText(urlOf("plain.txt"), { roots: [] })).toBe("FETCH_REFUSED");
  });

  it("opens a folder by its link as well as by its path", async () => {
    const roots = [join(folder, "alias")];
    expect(await openText(urlOf("plain.txt"), { roots })).toMatchObject({ text: "inside" });
    const url = pathToFileURL(join(folder, "alias", "plain.txt")).href;
    expect(await openText(url, { roots })).toMatchObject({ text: "inside" });
  });

  it.each([
    ["F1 dots", () => `file://${root}/../outside/secret.txt`, "FETCH_REFUSED"],
    ["F2 encoded dots", () => `file://${root}/%2e%2e/outside/secret.txt`, "FETCH_REFUSED"],
    ["F2 half encoded dots", () => `file://${root}/.%2E/outside/secret.txt`, "FETCH_REFUSED"],
    ["F3 encoded slashes", () => `file://${root}/..%2foutside%2fsecret.txt`, "FILE_URL_INVALID"],
    ["F3 a backslash", () => `file://${root}/..\\outside\\secret.txt`, "FILE_URL_INVALID"],
    ["F4 a link to a file", () => urlOf("link.txt"), "FETCH_REFUSED"],
    ["F5 a linked folder", () => urlOf("linked", "secret.txt"), "FETCH_REFUSED"],
    ["F5 what does not exist behind a link", () => urlOf("linked", "nothing.txt"), "FETCH_REFUSED"],
    ["F6 a hard link", () => urlOf("hard.txt"), "FETCH_REFUSED"],
    ["F7 a FIFO", () => urlOf("fifo"), "FETCH_REFUSED"],
    ["F8 /dev/zero", () => "file:///dev/zero", "FETCH_REFUSED"],
    ["F9 a folder", () => urlOf("sub"), "FETCH_REFUSED"],
    ["F9 the folder itself", () => pathToFileURL(root).href, "FETCH_REFUSED"],
    ["F10 a twin of the folder's name", () => `file://${root}-evil/twin.txt`, "FETCH_REFUSED"],
    ["F11 another host", () => `file://host${root}/plain.txt`, "FILE_URL_INVALID"],
    ["F11 an address", () => `file://127.0.0.1${root}/plain.txt`, "FILE_URL_INVALID"],
    ["F12 /proc/self/environ", () => "file:///proc/self/environ", "FETCH_REFUSED"],
    ["F13 NUL", () => `file://${root}/plain.txt%00.pdf`, "FILE_URL_INVALID"],
    ["F13 a NUL character", () => `file://${root}/plain.txt\u0000`, "FILE_URL_INVALID"],
    ["a query", () => `${urlOf("plain.txt")}?x`, "FILE_URL_INVALID"],
    ["broken encoding", () => `file://${root}/%ff%fe`, "FILE_URL_INVALID"],
    ["no path", () => "file:plain.txt", "FILE_URL_INVALID"],
    ["two slashes more", () => `file:////${root}/plain.txt`, "FILE_URL_INVALID"],
    ["what does not exist", () => urlOf("nothing.txt"), "FILE_NOT_FOUND"],
    ["what is no folder", () => urlOf("plain.txt", "x"), "FILE_NOT_FOUND"],
    ["a name too long", () => urlOf("a".repeat(300)), "FILE_NOT_FOUND"],
    ["nothing outside", () => `file://${folder}/outside/nothing.txt`, "FETCH_REFUSED"],
  ])("answers %s with a reason", async (_name, url, reason) => {
    expect(await openText(url())).toBe(reason);
  });

  it("F8 F12 refuses devices and /proc even when everything is open", async () => {
    for (const url of ["file:///dev/zero", "file:///proc/self/environ", "file:///sys/kernel/notes"]) {
      expect(await openText(url, { roots: ["/"] })).toBe("FETCH_REFUSED");
    }
    expect(await openText(urlOf("plain.txt"), { roots: ["/"] })).toMatchObject({ text: "inside" });
  });

  it("refuses a socket", async () => {
    const server = createServer();
    await new Promise<void>((resolve) => {
      server.listen(join(root, "socket"), resolve);
    });
    expect(await openText(urlOf("socket"))).toBe("FETCH_REFUSED");
    server.close();
  });

  it("F6 reads hard links when the operator says so", async () => {
    expect(await openText(urlOf("hard.txt"), { isHardLinkAllowed: true })).toMatchObject({ text: secret });
  });

  it("does not take a file that grows meanwhile for a whole one", async () => {
    await writeFile(join(root, "log.txt"), "line\n");
    const source = createLocalFileSource({ roots: [root], isHardLinkAllowed: false });
    const { stream } = await source.open(urlOf("log.txt"), new AbortController().signal);
    const read = async () => {
      for await (const _chunk of stream) await appendFile(join(root, "log.txt"), "more\n");
    };
    await expect(read()).rejects.toMatchObject({ reason: "FETCH_FAILED" });
  });

  it.runIf(process.platform === "linux")("closes what it opened when the reader leaves before the start", async () => {
    const countOpen = async () => {
      const links = (await readdir("/proc/self/fd")).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => ""));
      return (await Promise.all(links)).filter((target) => target === join(root, "plain.txt")).length;
    };
    const source = createLocalFileSource({ roots: [root], isHardLinkAllowed: false });
    const { stream } = await source.open(urlOf("plain.txt"), new AbortController().signal);
    expect(await countOpen()).toBe(1);
    await stream[Symbol.asyncIterator]().return?.();
    expect(await countOpen()).toBe(0);
  });

  it(
    "F15 gives nothing from outside while another process exchanges a folder with a link",
    { timeout: 20_000 },
    async () => {
      const [real, fake] = [join(root, "swap"), join(folder, "swap-link")];
      await mkdir(real);
      await writeFile(join(real, "secret.txt"), "inside");
      await symlink(join(folder, "outside"), fake);
      const script = `const { renameSync } = require("node:fs"); const [a, b, c] = process.argv.slice(1);
      for (;;) { try { renameSync(a, c); renameSync(b, a); renameSync(a, b); renameSync(c, a); } catch {} }`;
      const swapper = spawn(process.execPath, ["-e", script, real, fake, join(folder, "swap-away")], {
        stdio: "ignore",
      });
      const outcomes = new Map<string, number>();
      const endsAtMs = performance.now() + 3_000;
      while (performance.now() < endsAtMs) {
        const outcome = await openText(urlOf("swap", "secret.txt"));
        const name = typeof outcome === "string" ? outcome : outcome.text;
        outcomes.set(name, (outcomes.get(name) ?? 0) + 1);
      }
      const exited = new Promise((resolve) => swapper.once("exit", resolve));
      swapper.kill("SIGKILL");
      await exited;
      await rename(join(folder, "swap-away"), real).catch(() => {});
      expect(outcomes.get(secret)).toBeUndefined();
      expect(outcomes.get("FETCH_REFUSED") ?? 0).toBeGreaterThan(0);
      expect([...outcomes.keys()].every((name) => ["inside", "FETCH_REFUSED", "FILE_NOT_FOUND"].includes(name))).toBe(
        true,
      );
    },
  );
});
