import { hasProgram } from "@attune/testkit/has-program.ts";
import { makeDocx } from "@attune/testkit/make-ooxml.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createWorkerPool, type WorkerPool } from "../../isolation/create-worker-pool.ts";
import { createOutboundHttp } from "../../outbound/guarded-http.ts";
import { defaultOutboundSettings } from "../../outbound/outbound-settings.ts";
import { readOverrides } from "../../overrides/read-overrides.ts";
import { createRunCommand } from "../../process/run-command.ts";
import { describeEngine } from "../engine.contract.ts";
import { ParseClock } from "../parse-clock.ts";
import { pandoc } from "./engine.ts";

const program = process.env["PARSER_PANDOC_PATH"] ?? "pandoc";

describeEngine({
  program,
  definition: pandoc,
  peer: { kind: "program", environment: (place) => ({ PARSER_PANDOC_PATH: place }) },
  environment: () => ({ PARSER_PANDOC_PATH: program }),
  unavailable: {
    environment: { PARSER_PANDOC_PATH: "/nowhere/pandoc" },
    reason: /not found: .*PARSER_PANDOC_PATH/,
  },
  document: {
    format: "rst",
    bytes: () => Buffer.from("Title\n=====\n\nA note [1]_ here.\n\n.. [1] The *note*.\n"),
  },
  expected: /^# Title\n\nA note\[\^(\w+)\] here\.\n\n\[\^\1\]: The \*note\*\.\n$/,
  failures: [
    { name: "a file that is no Word document", reason: "ENGINE_FAILED", format: "docx", bytes: Buffer.from("none") },
    {
      name: "a conversion that ends with status 1",
      reason: "ENGINE_FAILED",
      environment: () => ({ PARSER_PANDOC_PATH: "false" }),
    },
  ],
});

describe.skipIf(!hasProgram(program))("pandoc keeps", () => {
  let pool: WorkerPool;
  beforeAll(async () => {
    pool = await createWorkerPool({ workers: 1, warmFormats: [] });
  });
  afterAll(() => pool.close());

  async function convert(
    format: string,
    bytes: Uint8Array,
    overrides: Readonly<Record<string, string>> = {},
  ): Promise<{ content: string; warnings: readonly string[] }> {
    const engine = pandoc.create({
      settings: { PARSER_PANDOC_PATH: program },
      readIsolated: pool.read,
      http: createOutboundHttp(defaultOutboundSettings),
      runCommand: createRunCommand(),
      timeoutMs: () => 60_000,
    });
    const source = {
      format,
      fileName: "",
      sizeBytes: bytes.length,
      readBytes: async () => bytes,
      toPath: () => Promise.reject(new Error("no path")),
    };
    const { options } = readOverrides(overrides, new Map());
    const request = { source, options, values: {}, clock: new ParseClock() };
    const { content, warnings } = await engine.parse(request, new AbortController().signal);
    return { content: Buffer.from(content).toString("utf8"), warnings };
  }

  test("merged cells", async () => {
    const cell = (text: string, properties = ""): string =>
      `<w:tc><w:tcPr>${properties}</w:tcPr><w:p><w:r><w:t>${text}</w:t></w:r></w:p></w:tc>`;
    const body = `<w:tbl><w:tblGrid><w:gridCol w:w="1000"/><w:gridCol w:w="1000"/></w:tblGrid><w:tr>${cell("wide", '<w:gridSpan w:val="2"/>')}</w:tr><w:tr>${cell("a")}${cell("b")}</w:tr></w:tbl>`;

    expect((await convert("docx", makeDocx({ body }))).content).toMatch(/colspan="2"[^>]*>wide</);
  });

  test("formulas, and the language of code", async () => {
    const text = "Let $x^2$ be.\n\n```python\nx = 1\n```\n\n$$\\frac{a}{b}$$\n";

    expect((await convert("md", Buffer.from(text))).content).toBe(
      "Let $x^2$ be.\n\n```python\nx = 1\n```\n\n$$\n\\frac{a}{b}\n$$\n",
    );
  });

  test("titles that a document shows, and letters of any encoding", async () => {
    const text =
      "\\documentclass{article}\\title{Ein Br\xfcckentag}\\begin{document}\\maketitle F\xfcr alle.\\end{document}";

    expect((await convert("tex", Buffer.from(text, "latin1"))).content).toBe("# Ein Brückentag\n\nFür alle.\n");
  });

  test("letters of the encoding that it is told", async () => {
    const bytes = Buffer.from("cff0e8e2e5f20a", "hex");

    expect((await convert("rst", bytes, { encoding: "windows-1251" })).content).toBe("Привет\n");
  });

  test("files of the machine out, and says so", async () => {
    const text = "before\n\n.. include:: /etc/hostname\n\nafter\n";

    expect(await convert("rst", Buffer.from(text))).toEqual({
      content: "before\n\nafter\n",
      warnings: [expect.stringMatching(/^pandoc: Could not load include file .*hostname.*\.$/)],
    });
  });
});
