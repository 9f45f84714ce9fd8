import { AppError } from "@attune/service-kit/app-error.ts";
import * as z from "zod";
import type { Recogniser } from "../../ocr/recogniser.ts";
import type { ParseOptions } from "../../overrides/parse-options.ts";
import { defineEngine, type EngineRequest, type Source, type StoredBytes } from "../engine.ts";
import { probeProgram } from "../program.ts";
import { createCommandRecogniser } from "./create-command-recogniser.ts";

const name = "tesseract";
/** What a reader may take beyond its time to give what it has read until then. */
const leastGraceMs = 200;
const graceShare = 0.1;

/** Every page through OCR by the tesseract command, whatever text the file has itself; the readers of `builtin` do the rest. */
export const tesseract = defineEngine({
  name,
  description: "Tesseract reads every page as a picture of text, in the languages that are installed",
  formats: ["png", "jpeg", "tiff", "bmp", "gif", "webp", "pdf"],
  rank: 20,
  settings: {
    PARSER_TESSERACT_PATH: z.string().default("tesseract").meta({
      description: "The tesseract command, by name or path; `builtin` reads pictures of text with it too",
      allowed: "path",
    }),
  },
  overrides: {},
  honours: { pages: true, max_pages: true, password: ["pdf"], ocr: true, ocr_languages: true, headers_footers: true },
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
        const { source, options, clock } = request;
        const command = createCommandRecogniser({ runCommand, file });
        const recogniser = createStrictRecogniser(command, options);
        const input = { ...(await toReadable(source)), recogniser };
        const leftMs = clock.leftMs(timeoutMs(options));
        const asked = { ...options, ocr: "always", timeoutMs: leftMs } as const;
        const late = AbortSignal.timeout(leftMs + Math.max(leastGraceMs, Math.ceil(leftMs * graceShare)));
        const parsed = await readIsolated(input, asked, AbortSignal.any([signal, late])).catch((error: unknown) => {
          if (late.aborted && !signal.aborted) throw new AppError("PARSE_TIMEOUT");
          throw recogniser.failure ?? error;
        });
        if (recogniser.failure !== undefined) throw recogniser.failure;
        return { ...parsed, warnings: [...warningsOf(request), ...parsed.warnings] };
      },
    };
  },
});

interface StrictRecogniser extends Recogniser {
  /** Set when the data of a language is missing. */
  readonly failure: AppError | undefined;
}

/** This engine and no other: nothing steps in for a language that the command has no data of. */
function createStrictRecogniser(command: Recogniser, { ocrLanguages }: ParseOptions): StrictRecogniser {
  let failure: AppError | undefined;
  return {
    get failure() {
      return failure;
    },
    listLanguages: () => Promise.resolve({ languages: ocrLanguages }),
    recognise: async (request, signal) => {
      const recognition = await command.recognise(request, signal);
      if (recognition.outcome === "failed" && recognition.isUnavailable === true)
        failure ??= new AppError("ENGINE_UNAVAILABLE", { detail: recognition.detail });
      return recognition;
    },
  };
}

async function toReadable(source: Source) {
  const { fileName, format, charset, sizeBytes, readChunks } = source;
  const stored: StoredBytes | undefined = readChunks && { sizeBytes, readChunks };
  const bytes = stored ?? (await source.readBytes());
  return { bytes, fileName, format, ...(charset !== undefined && { charset }) };
}

function warningsOf({ options }: EngineRequest): readonly string[] {
  return options.ocr === "never" ? [`${name} ignores the override ocr.`] : [];
}
