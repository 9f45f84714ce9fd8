import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hasProgram } from "@attune/testkit/has-program.ts";
import { makeSilentProgram } from "@attune/testkit/fake-silent-peers.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parseHocr } from "../../ocr/parse-hocr.ts";
import type { RecogniseRequest } from "../../ocr/recogniser.ts";
import { createRunCommand } from "../../process/run-command.ts";
import { until } from "../engine-under-test.contract.ts";
import { createCommandRecogniser } from "./create-command-recogniser.ts";

const isMissing = !hasProgram("tesseract");
if (isMissing) console.log("OCR by the tesseract command is not tested: it is not installed.");
const signal = new AbortController().signal;

/** A page of one word, of letters drawn as bars. */
const picture = { width: 200, height: 100, pixels: new Uint8Array(20_000).fill(255), dpi: 150 };
for (let y = 30; y < 70; y++) {
  for (const x of [40, 60, 100, 140]) picture.pixels.fill(0, y * 200 + x, y * 200 + x + 8);
  if (y > 46 && y < 54) picture.pixels.fill(0, y * 200 + 40, y * 200 + 68);
  if (y > 62) picture.pixels.fill(0, y * 200 + 100, y * 200 + 125);
}
const request: RecogniseRequest = { picture, languages: ["eng"], timeoutMs: 20_000 };

describe("the tesseract command", () => {
  let folder: string;
  const runCommand = createRunCommand();
  const program = async (script: string) => {
    const file = join(folder, `program-${script.length}`);
    await writeFile(file, `#!/bin/sh\n${script}\n`);
    await chmod(file, 0o755);
    return createCommandRecogniser({ runCommand, file });
  };
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "recogniser-"));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  test.skipIf(isMissing)("reads a picture with boxes, and tells its languages", async () => {
    const recogniser = createCommandRecogniser({ runCommand, file: "tesseract" });
    const { languages, fault } = await recogniser.listLanguages(signal);
    expect(languages).toContain("eng");
    expect(languages).not.toContain("osd");
    expect(fault).toBeUndefined();
    const answer = await recogniser.recognise(request, signal);
    const [line] = answer.outcome === "read" ? parseHocr(answer.hocr) : [];
    expect(line?.words.map(({ text }) => text).join("")).toMatch(/^H/);
    expect(line?.left).toBeGreaterThan(30);
    expect(line?.bottom).toBeLessThan(80);
  });

  test.skipIf(isMissing)("a language that it has no data of is no reading", async () => {
    const recogniser = createCommandRecogniser({ runCommand, file: "tesseract" });
    expect(await recogniser.recognise({ ...request, languages: ["eng", "nosuch"] }, signal)).toEqual({
      outcome: "failed",
      detail: "Tesseract's data for nosuch is not installed.",
      isUnavailable: true,
    });
  });

  test("one that is not there has no languages, and says so", async () => {
    const recogniser = createCommandRecogniser({ runCommand, file: "/nowhere/tesseract" });
    expect(await recogniser.listLanguages(signal)).toEqual({ languages: [] });
    expect(await recogniser.recognise(request, signal)).toMatchObject({ outcome: "failed", isUnavailable: true });
  });

  test.each([
    ["exit 3", "tesseract --list-langs ended with status 3"],
    ["echo 'List of available languages (0):'", "tesseract --list-langs named none"],
  ])("one that is there and cannot say its languages tells how it failed: %s", async (script, fault) => {
    const recogniser = await program(script);
    expect(await recogniser.listLanguages(signal)).toEqual({ languages: [], fault });
  });

  test.each([
    ["dies", "exit 3", { outcome: "failed", detail: "OCR ended with status 3." }],
    [
      "is killed",
      "kill -SEGV $$",
      { outcome: "failed", detail: expect.stringMatching(/^OCR ended with (?:signal|status)/) },
    ],
    [
      "wants memory",
      "echo 'std::bad_alloc' >&2; exit 1",
      { outcome: "failed", detail: expect.stringMatching(/memory/) },
    ],
    [
      "floods",
      "exec yes '<div class=ocr_page>'",
      { outcome: "failed", detail: "OCR wrote more than a page can hold." },
    ],
    ["hangs", "exec sleep 60", { outcome: "timeout" }],
    ["says nothing", "exit 0", { outcome: "read", hocr: "" }],
  ])("one that %s", async (_name, script, expected) => {
    const recogniser = await program(script);
    expect(
      await recogniser.recognise({ ...request, timeoutMs: script.includes("sleep") ? 300 : 20_000 }, signal),
    ).toEqual(expected);
  });

  test("it gets the picture as a graymap, and its languages and resolution", async () => {
    const recogniser = await program('echo "$@ $OMP_THREAD_LIMIT"; head -c 15 | tr "\\n" " "');
    const answer = await recogniser.recognise({ ...request, languages: ["deu", "eng"] }, signal);
    expect(answer).toEqual({
      outcome: "read",
      hocr: "stdin stdout -l deu+eng --psm 3 --dpi 150 hocr 1\nP5 200 100 255 ",
    });
  });

  test("it ends at once when nobody waits for it any more", async () => {
    await using peer = await makeSilentProgram();
    const recogniser = createCommandRecogniser({ runCommand, file: peer.place });
    const controller = new AbortController();
    const reading = recogniser.recognise(request, controller.signal).then(String, String);
    await until(peer.isAtWork);
    controller.abort(new Error("gone"));
    expect(await reading).toBe("Error: gone");
    await until(async () => !(await peer.isAtWork()), 1000);
  });
});
