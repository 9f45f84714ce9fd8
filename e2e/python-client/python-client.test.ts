import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { startHttpFixture } from "@attune/testkit/http-fixture.ts";
import type { S3Fixture } from "@attune/testkit/s3-fixture.ts";
import { startFakeS3 } from "@attune/testkit/s3-fixture-fake.ts";
import { findSwiftObstacle, startSwift } from "@attune/testkit/s3-fixture-swift.ts";
import { expect, test } from "vitest";
import { type StartedDocparser, startDocparser } from "@attune/testkit/start-docparser.ts";
import { hasOpenssl, makeCertificates } from "../make-certificates.ts";
import { findPython } from "./find-python.ts";

const python = findPython();
if (python === undefined) {
  console.log(
    "The Python client is not run: no Python with grpcio-tools, grpcio-health-checking and grpcio-reflection was found. " +
      "`npm run setup:python-client` makes one.",
  );
}

interface ClientResult {
  readonly parses: readonly Record<string, unknown>[];
  readonly file_types: readonly string[];
  readonly descriptions: Readonly<Record<string, string>>;
  readonly engines: readonly { readonly name: string; readonly available: boolean; readonly reason: string }[];
  readonly health: string;
  readonly services: readonly string[];
}

test.skipIf(python === undefined)("a Python client calls every method over http, file and data URLs", async () => {
  await using site = await startHttpFixture((_request, response) => {
    response.writeHead(200, { "content-type": "text/html; charset=windows-1251" });
    response.end(Buffer.from("<p>\xcf\xf0\xe8\xe2\xe5\xf2</p>", "latin1"));
  });
  await using service = await startDocparser({ PARSER_ALLOWED_HOSTS: `127.0.0.1:${site.port}` });
  writeFileSync(join(service.folder, "table.csv"), "name,age\nAda,36\n");

  const result = await callFromPython(service, [
    { file_url: `${site.origin}/greeting.html` },
    { file_url: `file://${service.folder}/table.csv`, engine_overrides: { output_format: "html" } },
    { file_url: "data:text/plain,hello", file_name: "notes.txt", file_type: ".TXT", parser_engine: "builtin" },
    { file_url: `file://${service.folder}/missing.pdf` },
  ]);

  const [overHttp, ofFile, ofUrl, missing] = result.parses;
  expect(overHttp).toMatchObject({ success: true, content: "Привет\n", content_length: 7, file_type: "html" });
  expect(ofFile).toMatchObject({ success: true, file_type: "csv", content: expect.stringContaining("<td>Ada</td>") });
  expect(ofUrl).toMatchObject({ success: true, content: "hello\n", parser_engine: "builtin" });
  expect(missing).toMatchObject({ success: false, content: "", message: expect.stringMatching(/^FILE_NOT_FOUND: /) });
  expect(result.file_types).toEqual(expect.arrayContaining(["docx", "pdf", "xlsx"]));
  expect(result.descriptions["pdf"]).toMatch(/PDF/);
  expect(result.engines).toContainEqual({ name: "builtin", available: true, reason: "" });
  expect(result.health).toBe("SERVING");
  expect(result.services).toEqual(expect.arrayContaining(["docparser.DocumentParser", "grpc.health.v1.Health"]));
});

test.skipIf(python === undefined || !hasOpenssl())("a Python client calls over mutual TLS with a token", async () => {
  using files = makeCertificates();
  await using service = await startDocparser({
    PARSER_TOKEN: "s3cret",
    PARSER_TLS_CERT_PATH: files.cert,
    PARSER_TLS_KEY_PATH: files.key,
    PARSER_TLS_CLIENT_CA_PATH: files.ca,
  });
  const requests = [{ file_url: "data:,hello" }];
  const certificate = ["--ca", files.ca, "--cert", files.cert, "--key", files.key];

  const result = await callFromPython(service, requests, [...certificate, "--token", "s3cret"]);

  expect(result.parses[0]).toMatchObject({ success: true, content: "hello\n" });
  await expect(callFromPython(service, requests, certificate)).rejects.toThrow(/UNAUTHENTICATED[\s\S]*TOKEN_MISSING/);
  await expect(callFromPython(service, requests, ["--ca", files.ca, "--token", "s3cret"])).rejects.toThrow(
    /UNAVAILABLE/,
  );
});

const swiftObstacle = await findSwiftObstacle();
if (swiftObstacle !== undefined) console.log(`The Python client is not run on a real S3 server: ${swiftObstacle}`);

const stores: readonly (readonly [string, () => Promise<S3Fixture>])[] = [
  ["a fake S3 server", () => startFakeS3()],
  ...(swiftObstacle === undefined ? [["OpenStack Swift's S3 API", () => startSwift()] as const] : []),
];

test.skipIf(python === undefined).each(stores)(
  "a Python client calls over s3 URLs from %s",
  { timeout: 180_000 },
  async (_name, start) => {
    await using store = await start();
    await store.createBucket("documents");
    await store.putObject(
      { bucket: "documents", key: "2026/报告.html" },
      { body: "<h1>Report</h1>", contentType: "text/html" },
    );
    await using service = await startDocparser({
      PARSER_S3_ENDPOINT: store.endpoint,
      PARSER_S3_REGION: store.region,
      PARSER_S3_BUCKETS: "documents",
      PARSER_S3_ACCESS_KEY_ID: store.accessKeyId,
      PARSER_S3_SECRET_ACCESS_KEY: store.secretAccessKey,
    });

    const result = await callFromPython(service, [
      { file_url: "s3://documents/2026/报告.html" },
      { file_url: "s3://documents/missing.pdf" },
      { file_url: "s3://others/2026/报告.html" },
    ]);

    expect(result.parses).toMatchObject([
      { success: true, content: "# Report\n", file_type: "html" },
      { success: false, message: expect.stringMatching(/^FILE_NOT_FOUND/) },
      { success: false, message: expect.stringMatching(/^FETCH_REFUSED/) },
    ]);
  },
);

async function callFromPython(
  service: StartedDocparser,
  requests: readonly object[],
  args: readonly string[] = [],
): Promise<ClientResult> {
  const path = join(service.folder, "requests.json");
  writeFileSync(path, JSON.stringify(requests));
  const script = join(import.meta.dirname, "client.py");
  const child = spawn(python ?? "", [script, service.address, path, ...args], { stdio: ["ignore", "pipe", "pipe"] });
  const [output, errors, code] = await Promise.all([
    textOf(child.stdout),
    textOf(child.stderr),
    new Promise((resolve) => child.once("exit", resolve)),
  ]);
  if (code !== 0) throw new Error(errors);
  return JSON.parse(output) as ClientResult;
}

async function textOf(stream: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
