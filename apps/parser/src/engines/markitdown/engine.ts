import * as z from "zod";
import { defineEngine } from "../engine.ts";
import { probeProgram, runEngineCommand } from "../program.ts";
import { readIntermediate } from "../read-intermediate.ts";
import { usualExtension } from "../remote-service.ts";

const name = "markitdown";

/** Microsoft's markitdown command (https://github.com/microsoft/markitdown), which reads standard input. */
export const markitdown = defineEngine({
  name,
  description: "Microsoft MarkItDown, run as a command on this machine",
  formats: ["pdf", "docx", "pptx", "xlsx", "xls", "html", "epub", "csv", "msg", "ipynb", "zip"],
  rank: undefined,
  settings: {
    PARSER_MARKITDOWN_PATH: z
      .string()
      .default("markitdown")
      .meta({ description: "The markitdown command, by name or path", allowed: "path" }),
  },
  overrides: {},
  honours: {},
  create: ({ settings, runCommand, readIsolated, timeoutMs }) => {
    const file = settings.PARSER_MARKITDOWN_PATH;
    return {
      probe: (_values, signal) =>
        probeProgram(
          runCommand,
          { file, args: ["--version"], remedy: "pip install 'markitdown[all]', or set PARSER_MARKITDOWN_PATH." },
          signal,
        ),
      parse: async (request, signal) => {
        const { source } = request;
        const stdin = await source.readBytes();
        const args = ["--extension", usualExtension(source.format)];
        const limits = { maxOutputBytes: 256 << 20, memoryMib: 4096 };
        const env = { PYTHONIOENCODING: "utf-8" };
        const command = { engine: name, file, args, stdin, env, ...limits };
        const { stdout } = await runEngineCommand({ runCommand, timeoutMs }, { command, request }, signal);
        const text = { bytes: stdout, format: "md" } as const;
        return readIntermediate({ readIsolated, timeoutMs }, { text, request }, signal);
      },
    };
  },
});
