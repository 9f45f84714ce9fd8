import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startHttpFixture } from "./http-fixture.ts";

/** Something that takes a document and never answers. */
export interface SilentPeer extends AsyncDisposable {
  /** Its address, or the path of the program. */
  readonly place: string;
  /** Whether it has the document and is at work. */
  readonly isAtWork: () => Promise<boolean>;
}

export async function startSilentServer(): Promise<SilentPeer> {
  let open = 0;
  const server = await startHttpFixture((request) => {
    open++;
    request.socket.once("close", () => open--);
    request.resume();
  });
  return {
    place: server.origin,
    isAtWork: async () => open > 0,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

/** A program that sleeps; it is known by how long. Asked for its languages as tesseract is, it tells those given. */
export async function makeSilentProgram(languages = ""): Promise<SilentPeer> {
  const folder = await mkdtemp(join(tmpdir(), "silent-"));
  const place = join(folder, "program");
  const seconds = `90.${process.pid}${Math.round(performance.now() * 1000)}`;
  const listing = languages === "" ? "" : `[ "$1" = --list-langs ] && echo ${languages} && exit\n`;
  await writeFile(place, `#!/bin/sh\n${listing}sleep ${seconds} &\nwait\n`);
  await chmod(place, 0o755);
  return {
    place,
    isAtWork: async () => (await commandLines()).some((line) => line.includes(seconds)),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

async function commandLines(): Promise<readonly string[]> {
  const processes = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  return Promise.all(processes.map((id) => readFile(`/proc/${id}/cmdline`, "utf8").catch(() => "")));
}
