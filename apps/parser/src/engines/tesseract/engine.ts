import { AppError } from "@attune/service-kit/app-error.ts";
import * as z from "zod";
import { defineEngine } from "../engine.ts";
import { probeProgram, runEngineCommand } from "../program.ts";

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
  create: ({ settings, runCommand, readIsolated, timeoutMs }) => {
    const file = settings.PARSER_TESSERACT_PATH;
    return {
      probe: (_values, signal) =>
        probeProgram(
          runCommand,
          { file, args: ["--version"], remedy: "install tesseract-ocr, or set PARSER_TESSERACT_PATH." },
          signal,
        ),
      parse: async ({ source, options }, signal) => {
        const stdin = await source.readBytes();
        const args = ["stdin", "stdout", "-l", options.ocrLanguages.join("+"), "--psm", "3", "hocr"];
        const limits = { timeoutMs: timeoutMs(options), maxOutputBytes: 256 << 20, memoryMib: 2048 };
        // Its own threads cost six times the work on shared cores.
        const env = { OMP_THREAD_LIMIT: "1" };
        const command = { engine: name, file, args, stdin, env, ...limits };
        const { stdout } = await runEngineCommand(runCommand, command, signal).catch(explainLanguages);
        const parsed = await readIsolated(
          { bytes: stdout, fileName: "", format: "xhtml", charset: "utf-8" },
          options,
          signal,
        );
        if (parsed.contentLength === 0) throw new AppError("TEXT_NOT_FOUND");
        return {
          ...parsed,
          warnings: [`The text was read from a picture (${options.ocrLanguages.join("+")}).`, ...parsed.warnings],
        };
      },
    };
  },
});

function explainLanguages(error: unknown): never {
  const said = error instanceof AppError && error.cause instanceof Error ? error.cause.message : "";
  const missing = /Failed loading language '([\w+]+)'/.exec(said)?.[1];
  if (missing === undefined) throw error;
  throw new AppError("ENGINE_UNAVAILABLE", { detail: `Tesseract's data for ${missing} is not installed.` }, error);
}
