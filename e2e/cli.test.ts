import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";

const main = join(import.meta.dirname, "../apps/parser/src/main.ts");
const folder = mkdtempSync(join(tmpdir(), "cli-"));
const path = (name: string): string => join(folder, name);

beforeAll(() => {
  writeFileSync(path("page.html"), "<h1>Title</h1><p>Text</p>");
  writeFileSync(path("a:b.txt"), "colon");
  writeFileSync(path("notes.md"), "# Mine\n");
  writeFileSync(path("broken.pdf"), "%PDF-1.7 garbage");
  writeFileSync(path("long.txt"), "A line of text that is long enough.\n\n".repeat(60_000));
  const row = `<tr>${"<td>a <b>cell</b></td>".repeat(20)}</tr>`;
  writeFileSync(path("slow.html"), `<table>${row.repeat(8_000)}</table>`);
});

afterAll(() => rmSync(folder, { recursive: true }));

function docparser(...args: readonly string[]) {
  return spawnSync(process.execPath, [main, ...args], { cwd: folder, encoding: "utf8", maxBuffer: 1 << 28 });
}

test("one file is printed, and nothing else", () => {
  expect(docparser("parse", "page.html")).toMatchObject({ status: 0, stdout: "# Title\n\nText\n", stderr: "" });
  expect(docparser("parse", "a:b.txt")).toMatchObject({ status: 0, stdout: "colon\n" });
});

test("a failure tells its reason on standard error, with status 1", () => {
  const { status, stdout, stderr } = docparser("parse", "broken.pdf");
  expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
  expect(stderr).toMatch(/^DOCUMENT_CORRUPT: /);
});

test("several files go to the folder, with progress and a summary, and one failure stops nothing", () => {
  const { status, stderr } = docparser("parse", "page.html", "broken.pdf", "page.html", "-o", "out", "-f", "TEXT");

  expect(status).toBe(1);
  expect(readdirSync(path("out")).sort()).toEqual(["page-2.txt", "page.txt"]);
  expect(readFileSync(path("out/page.txt"), "utf8")).toBe("Title\n\nText\n");
  expect(stderr).toMatch(/\[1\/3\] page\.html: html → out\/page\.txt, 12 characters/);
  expect(stderr).toMatch(/\[2\/3\] broken\.pdf: DOCUMENT_CORRUPT/);
  expect(stderr).toMatch(/2 of 3 documents parsed, 1 failed\.\n$/);
});

test("a file that exists is kept unless --force is given", () => {
  const kept = docparser("parse", "notes.md", "-o", ".");
  expect(kept).toMatchObject({ status: 1, stderr: expect.stringMatching(/was not written: it exists already/) });
  expect(readFileSync(path("notes.md"), "utf8")).toBe("# Mine\n");
  expect(docparser("parse", "notes.md", "-o", ".", "--force")).toMatchObject({ status: 0 });
});

test("--json answers as the service does, one line for each", () => {
  const { stdout } = docparser("parse", "page.html", "broken.pdf", "--json");
  const [good, bad] = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(good).toEqual({
    input: "page.html",
    success: true,
    content: "# Title\n\nText\n",
    message: "",
    content_length: 14,
    file_type: "html",
    parser_engine: "builtin",
  });
  expect(bad).toMatchObject({ success: false, content: "", message: expect.stringMatching(/^DOCUMENT_CORRUPT/) });
});

test.each([
  [["parse"], /needs at least one file/],
  [["parse", "a", "b"], /--output-dir/],
  [["bogus"], /no command `bogus`/],
  [["parse", "page.html", "--set", "tables"], /--set takes KEY=VALUE/],
])("wrong arguments %j are explained with status 2", (args, fault) => {
  expect(docparser(...args)).toMatchObject({ status: 2, stdout: "", stderr: expect.stringMatching(fault) });
});

test("formats and engines are listed", () => {
  expect(docparser("formats").stdout).toMatch(/^docx +Word document/m);
  const engines = JSON.parse(docparser("engines", "--json").stdout) as { name: string; isAvailable: boolean }[];
  expect(engines.find(({ name }) => name === "builtin")).toMatchObject({ isAvailable: true });
});

test("a configuration fault ends with status 2 and names the fault", () => {
  const { status, stderr } = spawnSync(process.execPath, [main, "formats"], {
    encoding: "utf8",
    env: { PATH: process.env["PATH"] ?? "", PARSER_PROT: "1" },
  });
  expect(status).toBe(2);
  expect(stderr).toMatch(/PARSER_PROT: there is no such setting/);
});

test("a reader that closes the pipe early is no fault", () => {
  const { status, stderr } = spawnSync("sh", ["-c", `"${process.execPath}" "${main}" parse long.txt | head -c 20`], {
    cwd: folder,
    encoding: "utf8",
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
});

test("an interrupted parse does not end with status 0", async () => {
  const child = spawn(process.execPath, [main, "parse", "slow.html"], { cwd: folder, stdio: "ignore" });
  const ended = new Promise((resolve) => child.once("exit", (code, signal) => resolve(code ?? signal)));
  setTimeout(() => child.kill("SIGINT"), 1500);
  // 130 once the program listens; before that the signal itself ends it.
  expect([130, "SIGINT"]).toContain(await ended);
});

test("a service that cannot start ends with status 1 and leaves nothing behind", async () => {
  const busy = spawn(process.execPath, [main, "serve"], {
    env: { PATH: process.env["PATH"] ?? "", PARSER_PORT: "0", PARSER_LOG_LEVEL: "silent" },
    stdio: ["ignore", "pipe", "ignore"],
  });
  const port = await new Promise<string>((resolve) => {
    busy.stdout.on("data", (chunk: Buffer) => resolve(/:(\d+)/.exec(chunk.toString())?.[1] ?? ""));
  });

  const second = spawnSync(process.execPath, [main, "serve"], {
    encoding: "utf8",
    timeout: 20_000,
    env: { PATH: process.env["PATH"] ?? "", PARSER_PORT: port, PARSER_LOG_LEVEL: "silent" },
  });

  busy.kill("SIGTERM");
  expect(second).toMatchObject({ status: 1, stderr: expect.stringMatching(/cannot listen on 127\.0\.0\.1/) });
});
