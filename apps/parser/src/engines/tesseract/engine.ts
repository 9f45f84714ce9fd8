import { AppError } from "@attune/service-kit/app-error.ts";
import * as z from "zod";
import type { ParseOptions } from "../../overrides/parse-options.ts";
import { defineEngine } from "../engine.ts";
import { probeProgram, runEngineCommand } from "../program.ts";
import { readIntermediate } from "../read-intermediate.ts";

const name = "tesseract";

/** The tesseract command (https://tesseract-ocr.github.io/tessdoc/Command-Line-Usage.html), one thread to a page. */
export const tesseract = defineEngine({
  name,
  description: "Tesseract reads pictures of text, in the languages that are installed",
  formats: ["png", "jpeg", "tiff", "bmp", "gif", "webp"],
  rank: 20,
  settings: {
    PARSER_TESSERACT_PATH: z
      .string()
      .default("tesseract")
      .meta({ description: "The tesseract command, by name or path", allowed: "path" }),
  },
  overrides: {},
  honours: { ocr: true, ocr_languages: true },
  create: ({ settings, runCommand, readIsolated, timeoutMs }) => {
    const file = settings.PARSER_TESSERACT_PATH;
    return {
      probe: (_values, signal) =>
        probeProgram(
          runCommand,
          { file, args: ["--version"], remedy: "install tesseract-ocr, or set PARSER_TESSERACT_PATH." },
          signal,
        ),
      parse: async (request, signal) => {
        const { source, options } = request;
        const stdin = await source.readBytes();
        const languages = options.ocrLanguages.join("+");
        const args = ["stdin", "stdout", "-l", languages, "--psm", "3", "hocr"];
        const limits = { maxOutputBytes: 256 << 20, memoryMib: 2048 };
        // Its own threads cost six times the work on shared cores.
        const env = { OMP_THREAD_LIMIT: "1" };
        const command = { engine: name, file, args, stdin, env, ...limits };
        const deps = { runCommand, timeoutMs };
        const { stdout, stderr } = await runEngineCommand(deps, { command, request }, signal).catch(explainLanguages);
        assertLanguages(stderr);
        const text = { bytes: stdout, format: "xhtml" } as const;
        // The title is its own, not the document's.
        const unnamed = { ...request, source: { ...source, fileName: "" } };
        const parsed = await readIntermediate({ readIsolated, timeoutMs }, { text, request: unnamed }, signal);
        if (parsed.contentLength === 0) throw new AppError("TEXT_NOT_FOUND");
        return { ...parsed, warnings: [...warningsOf(options), ...parsed.warnings] };
      },
    };
  },
});

function warningsOf({ ocr, ocrLanguages }: ParseOptions): readonly string[] {
  const read = `The text was read from a picture (${ocrLanguages.join("+")}).`;
  return ocr === "never" ? [`${name} ignores the override ocr.`, read] : [read];
}

// With one language of several it goes on without the others, and ends well.
function assertLanguages(stderr: string, cause: unknown = new Error(stderr)): void {
  const missing = [...stderr.matchAll(/Failed loading language '([\w+/-]{1,100})'/g)].map(([, language]) => language);
  if (missing.length === 0) return;
  const detail = `Tesseract's data for ${[...new Set(missing)].join(", ")} is not installed.`;
  throw new AppError("ENGINE_UNAVAILABLE", { detail }, cause);
}

function explainLanguages(error: unknown): never {
  if (error instanceof AppError && error.cause instanceof Error) assertLanguages(error.cause.message, error);
  throw error;
}
