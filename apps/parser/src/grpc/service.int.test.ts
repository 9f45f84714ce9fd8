import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLogger } from "@attune/service-kit/create-logger.ts";
import { createDocparserClient, type DocparserClient } from "@attune/testkit/docparser-client.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { loadConfig } from "../config.ts";
import { type RunningService, serve } from "../serve.ts";

const folder = mkdtempSync(join(tmpdir(), "service-"));
const textUrl = `data:text/plain,${encodeURIComponent("# not a heading\n\n你好, world 🌍")}`;
let service: RunningService;
let client: DocparserClient;

beforeAll(async () => {
  writeFileSync(join(folder, "page.html"), "<h1>Title</h1><p>Some <b>bold</b> text.</p>");
  service = await serve(configFor({ PARSER_FILE_ROOTS: folder }), createLogger("test", "silent"));
  client = createDocparserClient(service.address);
});

afterAll(async () => {
  client.close();
  await service.stop();
  rmSync(folder, { recursive: true });
});

function configFor(environment: Readonly<Record<string, string>>) {
  return loadConfig({ PARSER_PORT: "0", PARSER_WORKERS: "1", PARSER_WORK_DIR: join(folder, "work"), ...environment });
}

test("a data URL is parsed; the length counts code points", async () => {
  const response = await client.parse({ file_url: textUrl });

  expect(response).toMatchObject({ success: true, message: "", file_type: "txt", parser_engine: "builtin" });
  expect(response.content).toContain("你好, world 🌍");
  expect(response.content_length).toBe(Array.from(response.content).length);
});

test("a file inside the roots is parsed, one outside is refused", async () => {
  const inside = await client.parse({ file_url: `file://${folder}/page.html` });
  const outside = await client.parse({ file_url: "file:///etc/passwd" });

  expect(inside).toMatchObject({ success: true, content: "# Title\n\nSome **bold** text.\n", file_type: "html" });
  expect(outside).toMatchObject({ success: false, content: "", content_length: 0 });
  expect(outside.message).toMatch(/^FETCH_REFUSED: /);
});

test("overrides choose the output", async () => {
  const engine_overrides = { output_format: "html" };
  const response = await client.parse({ file_url: `file://${folder}/page.html`, engine_overrides });
  expect(response.content).toContain("<h1>Title</h1>");
});

test.each([
  [{ file_url: "" }, /^FILE_URL_INVALID: .*It is empty/],
  [{ file_url: "ftp://example.org/a" }, /^FILE_URL_INVALID: .*Its scheme is `ftp`.*http, https, s3, file, data/],
  [{ file_url: "http://127.0.0.1:1/a" }, /^FETCH_REFUSED: /],
  [{ file_url: "s3://bucket/key" }, /^FETCH_REFUSED: .*PARSER_S3_BUCKETS/],
  [{ file_url: textUrl, parser_engine: "magic" }, /^ENGINE_UNKNOWN: .*`magic`.*builtin/],
  [{ file_url: textUrl, file_type: "banana" }, /^UNSUPPORTED_FILE_TYPE: .*`banana`.*docx/],
  [{ file_url: textUrl, engine_overrides: { out_format: "html" } }, /^OVERRIDE_UNKNOWN: .*`output_format`/],
  [{ file_url: textUrl, engine_overrides: { tables: "x" } }, /^OVERRIDE_INVALID: .*auto, markdown, html/],
  [{ file_url: "data:application/pdf;base64,JVBERi0xLjcKZ2FyYmFnZQ==" }, /^DOCUMENT_CORRUPT: /],
])("%j is a failure of the document, with its reason and an empty content", async (request, message) => {
  const response = await client.parse(request);

  expect(response).toMatchObject({ success: false, content: "", content_length: 0 });
  expect(response.message).toMatch(message);
});

test("a hint that the bytes contradict loses, and the message says so", async () => {
  const response = await client.parse({ file_url: `file://${folder}/page.html`, file_type: ".PDF" });
  expect(response).toMatchObject({
    success: true,
    file_type: "html",
    message: "file_type says pdf, but the file is html.",
  });
});

test("GetSupportedFormats and GetEngines list what works", async () => {
  const { file_types, file_type_descriptions } = await client.formats();
  const { engines } = await client.engines();

  expect(file_types).toEqual([...file_types].sort((a, b) => a.localeCompare(b)));
  expect(file_types).toEqual(expect.arrayContaining(["docx", "html", "pdf", "txt", "xlsx"]));
  expect(Object.keys(file_type_descriptions).sort()).toEqual([...file_types].sort());
  expect(engines[0]).toMatchObject({ name: "builtin", available: true, unavailable_reason: "" });
  expect(engines.every(({ available, unavailable_reason }) => available === (unavailable_reason === ""))).toBe(true);
});

test.each([
  ["a truncated message", Buffer.from("0a3241", "hex")],
  ["invalid UTF-8", Buffer.from("0a02c328", "hex")],
  ["a field of the wrong type", Buffer.from("0801", "hex")],
  ["garbage", Buffer.from("ffffffffffffffffffff", "hex")],
])("%s is refused as INVALID_ARGUMENT", async (_name, message) => {
  await expect(client.parseRaw(message)).rejects.toMatchObject({
    code: 3,
    details: expect.stringMatching(/^REQUEST_MALFORMED/),
  });
});

test("unknown fields are skipped", async () => {
  const known = Buffer.concat([Buffer.from([0x0a, 0x0e]), Buffer.from("data:,whatever")]);
  const unknown = Buffer.from("7a03616263", "hex");
  expect((await client.parseRaw(Buffer.concat([unknown, known]))).length).toBeGreaterThan(10);
});

test("with a token only its bearer is served, health excepted", async () => {
  const guarded = await serve(configFor({ PARSER_TOKEN: "s3cret" }), createLogger("test", "silent"));
  const caller = createDocparserClient(guarded.address);
  const authorized = { metadata: { authorization: "Bearer s3cret" } };

  await expect(caller.formats()).rejects.toMatchObject({ code: 16, details: expect.stringMatching(/^TOKEN_MISSING/) });
  await expect(caller.formats({ metadata: { authorization: "Bearer wrong" } })).rejects.toMatchObject({ code: 16 });
  await expect(caller.parse({ file_url: textUrl }, authorized)).resolves.toMatchObject({ success: true });

  caller.close();
  await guarded.stop();
});

test("a full house turns callers away with the delay after which to try again", async () => {
  const small = await serve(configFor({ PARSER_QUEUE_LENGTH: "0" }), createLogger("test", "silent"));
  const caller = createDocparserClient(small.address);
  const big = `data:text/plain,${"word%20".repeat(200_000)}`;

  const outcomes = await Promise.allSettled(Array.from({ length: 6 }, () => caller.parse({ file_url: big })));

  const refused = outcomes.filter((outcome) => outcome.status === "rejected");
  expect(refused.length).toBeGreaterThan(0);
  for (const { reason } of refused) {
    expect(reason).toMatchObject({ code: 8, details: expect.stringMatching(/^QUEUE_FULL/) });
    expect(String(reason.metadata.get("grpc-status-details-bin")[0])).toContain("google.rpc.RetryInfo");
  }
  caller.close();
  await small.stop();
});
