import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { hasProgram } from "@attune/testkit/has-program.ts";
import { type HttpFixture, startHttpFixture } from "@attune/testkit/http-fixture.ts";
import { makeZip } from "@attune/testkit/make-zip.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createWorkerPool, type WorkerPool } from "../../isolation/create-worker-pool.ts";
import { findCommandSandbox } from "../../process/command-sandbox.ts";
import { createRunCommand } from "../../process/run-command.ts";
import { requestFor, textOf } from "../engine-under-test.contract.ts";
import type { RunCommand } from "../run-command.ts";
import { libreoffice } from "./engine.ts";

const program = process.env["PARSER_LIBREOFFICE_PATH"] ?? "soffice";
const hasSandbox = (await findCommandSandbox()) !== undefined;
const runCommand = createRunCommand({ concurrency: 1 });
/** As on a machine without bubblewrap. */
const runUnfenced: RunCommand = ({ files: _files, ...command }, signal) => runCommand(command, signal);

describe.skipIf(!hasProgram(program))("a document that links to what lies elsewhere", () => {
  let pool: WorkerPool;
  let server: HttpFixture;
  let folder = "";
  let secret = "";
  beforeAll(async () => {
    pool = await createWorkerPool({ workers: 1, warmFormats: [] });
    server = await startHttpFixture((_request, response) => response.end("from the network"));
    folder = await mkdtemp(join(tmpdir(), "linked-"));
    secret = join(folder, "secret.txt");
    await writeFile(secret, "from the machine\n");
  });
  afterAll(async () => {
    await Promise.all([pool.close(), server[Symbol.asyncDispose](), rm(folder, { recursive: true, force: true })]);
  });

  async function convert(run: RunCommand): Promise<string> {
    const engine = libreoffice.create({
      settings: { PARSER_LIBREOFFICE_PATH: program },
      readIsolated: pool.read,
      http: { request: () => Promise.reject(new Error("no HTTP")) },
      runCommand: run,
      timeoutMs: () => 60_000,
    });
    const bytes = makeLinkedOdt(server.origin, pathToFileURL(secret).href);
    return textOf(await engine.parse(requestFor(libreoffice, { format: "odt", bytes }), new AbortController().signal));
  }

  test("brings nothing of it, and no connection is made, by LibreOffice's own settings alone", async () => {
    const text = await convert(runUnfenced);
    expect(text).toContain("of its own");
    expect(text).not.toMatch(/from the/);
    expect(server.connectionCount).toBe(0);
  });

  test.skipIf(!hasSandbox)("brings nothing of it, and no connection is made, behind the fence", async () => {
    const connectionsBefore = server.connectionCount;
    const text = await convert(runCommand);
    expect(text).toContain("of its own");
    expect(text).not.toMatch(/from the/);
    expect(server.connectionCount).toBe(connectionsBefore);
  });
});

function makeLinkedOdt(origin: string, file: string): Buffer {
  const spaces = [
    ["office", "urn:oasis:names:tc:opendocument:xmlns:office:1.0"],
    ["text", "urn:oasis:names:tc:opendocument:xmlns:text:1.0"],
    ["draw", "urn:oasis:names:tc:opendocument:xmlns:drawing:1.0"],
    ["svg", "urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0"],
    ["xlink", "http://www.w3.org/1999/xlink"],
  ]
    .map(([prefix, uri]) => `xmlns:${prefix}="${uri}"`)
    .join(" ");
  const picture = `<draw:frame svg:width="5cm" svg:height="5cm"><draw:image xlink:href="${origin}/picture.png" xlink:type="simple" xlink:show="embed" xlink:actuate="onLoad"/></draw:frame>`;
  const section = (href: string, name: string) =>
    `<text:section text:name="${name}"><text:section-source xlink:href="${href}" xlink:type="simple"/><text:p>kept</text:p></text:section>`;
  const body = `<text:p>of its own ${picture}</text:p>${section(`${origin}/part.txt`, "one")}${section(file, "two")}`;
  const content = `<office:document-content ${spaces} office:version="1.3"><office:body><office:text>${body}</office:text></office:body></office:document-content>`;
  const type = "application/vnd.oasis.opendocument.text";
  const manifest = `<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"><manifest:file-entry manifest:full-path="/" manifest:media-type="${type}"/><manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml"/></manifest:manifest>`;
  return makeZip([
    { name: "mimetype", bytes: type },
    { name: "content.xml", bytes: content },
    { name: "META-INF/manifest.xml", bytes: manifest },
  ]);
}
