import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { AppError } from "@attune/service-kit/app-error.ts";
import * as z from "zod";
import { isEncryptedLegacyOffice } from "../../containers/legacy-office-encryption.ts";
import { defineEngine, type Source } from "../engine.ts";
import { probeProgram, runEngineCommand } from "../program.ts";

const name = "libreoffice";

/** What a format is converted to for our readers: the current format of its family. */
const targets: Readonly<Record<string, string>> = {
  doc: "docx",
  docx: "docx",
  odp: "pptx",
  ods: "xlsx",
  odt: "docx",
  ppt: "pptx",
  pptx: "pptx",
  rtf: "docx",
  xls: "xlsx",
  xlsb: "xlsx",
  xlsx: "xlsx",
  "xml-spreadsheet": "xlsx",
};

/**
 * LibreOffice, headless, each conversion in a process and a profile of its own, because conversions that share a profile
 * wait for one another or fail.
 */
export const libreoffice = defineEngine({
  name,
  description: "LibreOffice converts old and rare Office formats, and builtin reads what comes out",
  formats: Object.keys(targets),
  rank: 10,
  settings: {
    PARSER_LIBREOFFICE_PATH: z
      .string()
      .default("soffice")
      .meta({ description: "The soffice command, by name or path", allowed: "path" }),
  },
  overrides: {},
  create: ({ settings, runCommand, readIsolated, timeoutMs }) => {
    const file = settings.PARSER_LIBREOFFICE_PATH;
    return {
      probe: (_values, signal) =>
        probeProgram(
          runCommand,
          { file, args: ["--version"], remedy: "install LibreOffice, or set PARSER_LIBREOFFICE_PATH." },
          signal,
        ),
      parse: async ({ source, options }, signal) => {
        const target = targets[source.format] ?? "docx";
        const limits = { timeoutMs: timeoutMs(options), maxOutputBytes: 1 << 20 };
        const folder = await mkdtemp(join(tmpdir(), "libreoffice-"));
        try {
          const args = await conversionArguments(source, target, folder);
          await runEngineCommand(runCommand, { engine: name, file, args, ...limits }, signal);
          const bytes = await readConverted(join(folder, "out"));
          if (bytes === undefined) throw await refusalOf(source, options.read.password);
          return await readIsolated({ bytes, fileName: source.fileName, format: target }, options, signal);
        } finally {
          await rm(folder, { recursive: true, force: true });
        }
      },
    };
  },
});

async function conversionArguments(source: Source, target: string, folder: string): Promise<readonly string[]> {
  const profile = pathToFileURL(join(folder, "profile")).href;
  const quiet = ["--headless", "--norestore", "--nolockcheck", "--nodefault", "--nofirststartwizard"];
  return [
    `-env:UserInstallation=${profile}`,
    ...quiet,
    "--convert-to",
    target,
    "--outdir",
    join(folder, "out"),
    await source.toPath(),
  ];
}

// LibreOffice ends with status 0 even when it converted nothing.
async function readConverted(folder: string): Promise<Uint8Array | undefined> {
  const [converted] = await readdir(folder).catch(() => []);
  return converted === undefined ? undefined : readFile(join(folder, converted));
}

// It cannot be told a password for a conversion, and opens no file that asks for one.
async function refusalOf(source: Source, password: string | undefined): Promise<AppError> {
  if (!isEncryptedLegacyOffice(await source.readBytes()))
    return new AppError("ENGINE_FAILED", { detail: `${name} could not open the document.` });
  return password === undefined
    ? new AppError("PASSWORD_REQUIRED", { detail: `${name} takes no passwords: it needs a copy without protection.` })
    : new AppError("ENCRYPTION_UNSUPPORTED", { detail: `${name} takes no passwords.` });
}
