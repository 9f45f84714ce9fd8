import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { hasProgram } from "@attune/testkit/has-program.ts";
import { type RawFixture, startRawFixture } from "@attune/testkit/http-fixture.ts";
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
  let server: RawFixture;
  let folder = "";
  let secret = "";
  beforeAll(async () => {
    pool = await createWorkerPool({ workers: 1, warmFormats: [] });
    server = await startRawFixture((socket) => socket.end("HTTP/1.1 200 OK\r\n\r\nfrom the network"));
    folder = await mkdtemp(join(tmpdir(), "linked-"));
    secret = join(folder, "secret.txt");
    await writeFile(secret, "from the machine\n");
  });
  afterAll(async () => {
    await Promise.all([pool.close(), server[Symbol.asyncDispose](), rm(folder, { recursive: true, force: true })]);
  });

  async function convert(run: RunCommand, format: "odt" | "odp"): Promise<string> {
    const engine = libreoffice.create({
      settings: { PARSER_LIBREOFFICE_PATH: program },
      readIsolated: pool.read,
      http: { request: () => Promise.reject(new Error("no HTTP")) },
      runCommand: run,
      timeoutMs: () => 60_000,
    });
    const links = { place: `127.0.0.1:${server.port}`, file: pathToFileURL(secret).href };
    const bytes = format === "odt" ? makeLinkedOdt(links) : makeLinkedOdp(links);
    return textOf(await engine.parse(requestFor(libreoffice, { format, bytes }), new AbortController().signal));
  }

  test.each(["odt", "odp"] as const)(
    "brings nothing of it, and no connection is made, by LibreOffice's own settings alone: %s",
    async (format) => {
      const connectionsBefore = server.connectionCount;
      const text = await convert(runUnfenced, format);
      expect(text).toContain("of its own");
      expect(text).not.toMatch(/from the/);
      expect(server.connectionCount).toBe(connectionsBefore);
    },
  );

  test.skipIf(!hasSandbox)("brings nothing of it, and no connection is made, behind the fence", async () => {
    const connectionsBefore = server.connectionCount;
    const text = await convert(runCommand, "odp");
    expect(text).toContain("of its own");
    expect(text).not.toMatch(/from the/);
    expect(server.connectionCount).toBe(connectionsBefore);
  });
});

interface Links {
  /** Host and port. */
  readonly place: string;
  readonly file: string;
}

const frame = (content: string): string =>
  `<draw:frame svg:width="5cm" svg:height="5cm" svg:x="1cm" svg:y="1cm">${content}</draw:frame>`;
const picture = (href: string): string =>
  frame(`<draw:image xlink:href="${href}" xlink:type="simple" xlink:show="embed" xlink:actuate="onLoad"/>`);
const linkedObject = (href: string): string => frame(`<draw:object-ole xlink:href="${href}" xlink:type="simple"/>`);
const webdav = "vnd.sun.star.webdav";
const picturesOf = ({ place }: Links): string =>
  ["http", "https", "ftp", webdav].map((scheme) => picture(`${scheme}://${place}/picture.png`)).join("");

function makeLinkedOdt(links: Links): Buffer {
  const section = (href: string) =>
    `<text:section text:name="s${href.length}"><text:section-source xlink:href="${href}" xlink:type="simple"/><text:p>kept</text:p></text:section>`;
  const sections = `${section(`http://${links.place}/part.txt`)}${section(links.file)}`;
  const body = `<text:p>of its own ${picturesOf(links)}${linkedObject(`http://${links.place}/o`)}</text:p>${sections}`;
  return makeOdf("text", `<office:text>${body}</office:text>`);
}

function makeLinkedOdp(links: Links): Buffer {
  const words = frame("<draw:text-box><text:p>of its own</text:p></draw:text-box>");
  const objects = linkedObject(`http://${links.place}/object`);
  const page = `<draw:page draw:name="page">${words}${picturesOf(links)}${objects}</draw:page>`;
  return makeOdf("presentation", `<office:presentation>${page}</office:presentation>`);
}

function makeOdf(kind: "text" | "presentation", body: string): Buffer {
  const spaces = [
    ...["office", "text", "presentation"].map((name) => [name, `urn:oasis:names:tc:opendocument:xmlns:${name}:1.0`]),
    ["draw", "urn:oasis:names:tc:opendocument:xmlns:drawing:1.0"],
    ["svg", "urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0"],
    ["xlink", "http://www.w3.org/1999/xlink"],
  ]
    .map(([prefix, uri]) => `xmlns:${prefix}="${uri}"`)
    .join(" ");
  const content = `<office:document-content ${spaces} office:version="1.3"><office:body>${body}</office:body></office:document-content>`;
  const type = `application/vnd.oasis.opendocument.${kind}`;
  const manifest = `<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"><manifest:file-entry manifest:full-path="/" manifest:media-type="${type}"/><manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml"/></manifest:manifest>`;
  return makeZip([
    { name: "mimetype", bytes: type },
    { name: "content.xml", bytes: content },
    { name: "META-INF/manifest.xml", bytes: manifest },
  ]);
}
