import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createDocparserClient } from "@attune/testkit/docparser-client.ts";
import { makeSilentProgram } from "@attune/testkit/fake-silent-peers.ts";
import { hasProgram } from "@attune/testkit/has-program.ts";
import { makePictureOfText } from "@attune/testkit/make-picture-of-text.ts";
import { type StartedDocparser, startDocparser } from "@attune/testkit/start-docparser.ts";
import { expect, test } from "vitest";

const isInstalled = hasProgram("tesseract");
if (!isInstalled) console.log("OCR by the tesseract command is not tested: it is not installed.");

function writePicture({ folder }: StartedDocparser): string {
  writeFileSync(join(folder, "sign.bmp"), makePictureOfText());
  return `file://${join(folder, "sign.bmp")}`;
}

test(
  "a picture is read without anything installed, and what cannot be read says why",
  { timeout: 60_000 },
  async () => {
    await using service = await startDocparser({ PARSER_WORKERS: "1", PARSER_TESSERACT_PATH: "/nowhere/tesseract" });
    const client = createDocparserClient(service.address);
    const file_url = writePicture(service);
    expect(await client.parse({ file_url })).toMatchObject({
      success: true,
      content: "HELLO HELLO\n",
      message: "page 1: a picture, OCR used (eng).",
      file_type: "bmp",
      parser_engine: "builtin",
    });
    expect(await client.parse({ file_url, engine_overrides: { ocr_languages: "deu" } })).toMatchObject({
      success: false,
      content: "",
      message: expect.stringMatching(/^OCR_UNAVAILABLE: .*no OCR data for deu: install tesseract-ocr/),
    });
    expect(await client.parse({ file_url, engine_overrides: { ocr: "never" } })).toMatchObject({
      success: false,
      message: expect.stringMatching(/^TEXT_NOT_FOUND: .*override `ocr` is never/),
    });
    client.close();
  },
);

test.skipIf(!isInstalled)(
  "with the command, builtin and the engine tesseract read alike",
  { timeout: 60_000 },
  async () => {
    await using service = await startDocparser({ PARSER_WORKERS: "1" });
    const client = createDocparserClient(service.address);
    const file_url = writePicture(service);
    for (const parser_engine of ["", "tesseract"])
      expect(await client.parse({ file_url, parser_engine })).toMatchObject({
        success: true,
        content: "HELLO HELLO\n",
      });
    client.close();
  },
);

test(
  "a call that is cancelled, or outlives its time, stops OCR; a service that is killed leaves none",
  { timeout: 60_000 },
  async () => {
    await using program = await makeSilentProgram("eng");
    await using service = await startDocparser({ PARSER_WORKERS: "1", PARSER_TESSERACT_PATH: program.place });
    const client = createDocparserClient(service.address);
    const file_url = writePicture(service);

    const controller = new AbortController();
    const cancelled = client.parse({ file_url }, { signal: controller.signal }).catch((error: unknown) => error);
    await until(program.isAtWork);
    controller.abort();
    expect(await cancelled).toMatchObject({ code: 1 });
    await until(async () => !(await program.isAtWork()));

    expect(await client.parse({ file_url, engine_overrides: { timeout_ms: "3000" } })).toMatchObject({
      success: false,
      message: expect.stringMatching(/^PARSE_TIMEOUT/),
    });
    await until(async () => !(await program.isAtWork()));

    const abandoned = client.parse({ file_url }).catch((error: unknown) => error);
    await until(program.isAtWork);
    process.kill(service.pid, "SIGKILL");
    await abandoned;
    await until(async () => !(await program.isAtWork()));
    client.close();
  },
);

async function until(holds: () => Promise<boolean>): Promise<void> {
  const endsAtMs = performance.now() + 15_000;
  while (!(await holds())) {
    expect(performance.now()).toBeLessThan(endsAtMs);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
