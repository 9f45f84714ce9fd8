import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { AppError } from "@attune/service-kit/app-error.ts";
import * as z from "zod";
import { isEncryptedLegacyOffice } from "../../containers/legacy-office-encryption.ts";
import { defineEngine, type Source } from "../engine.ts";
import { probeProgram, runEngineCommand } from "../program.ts";
import { convertedOptions } from "../read-intermediate.ts";

const name = "libreoffice";

/** What a format is converted to for our readers: the current format of its family. */
const targets: Readonly<Record<string, string>> = {
  doc: "docx",
  docx: "docx",
  hwp3: "docx",
  keynote: "pptx",
  keynote09: "pptx",
  numbers: "xlsx",
  numbers09: "xlsx",
  odp: "pptx",
  ods: "xlsx",
  odt: "docx",
  pages: "docx",
  pages09: "docx",
  ppt: "pptx",
  pptx: "pptx",
  pub: "odg",
  rtf: "docx",
  sxc: "xlsx",
  sxd: "odg",
  sxi: "pptx",
  sxw: "docx",
  vsd: "odg",
  wpd: "docx",
  wps: "docx",
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
  honours: { pages: true, max_pages: true, headers_footers: true, archive_depth: true },
  create: ({ settings, runCommand, readIsolated, timeoutMs }) => {
    const file = settings.PARSER_LIBREOFFICE_PATH;
    return {
      probe: (_values, signal) =>
        probeProgram(
          runCommand,
          { file, args: ["--version"], remedy: "install LibreOffice, or set PARSER_LIBREOFFICE_PATH." },
          signal,
        ),
      parse: async (request, signal) => {
        const { source, options, clock } = request;
        const target = targets[source.format] ?? "docx";
        const folder = await mkdtemp(join(tmpdir(), "libreoffice-"));
        try {
          const path = await source.toPath();
          const args = conversionArguments({
            path,
            target,
            profile: await makeProfile(folder),
            out: join(folder, "out"),
          });
          const files = { readable: [path], writable: [folder] };
          const command = { engine: name, file, args, files, ...programLimits };
          const { stderr } = await runEngineCommand({ runCommand, timeoutMs }, { command, request }, signal);
          const bytes = await readConverted(join(folder, "out"));
          if (bytes === undefined) throw await refusalOf(source, options.read.password, stderr);
          const ours = { ...convertedOptions(options), timeoutMs: clock.leftMs(timeoutMs(options)) };
          return await readIsolated({ bytes, fileName: source.fileName, format: target }, ours, signal);
        } finally {
          await rm(folder, { recursive: true, force: true });
        }
      },
    };
  },
});

const programLimits = { maxOutputBytes: 1 << 20, memoryMib: 4096, maxFileBytes: 512 << 20 };

// A document may name addresses and files that LibreOffice would fetch while it opens it. What it calls untrusted is every
// document outside of the places that the user trusts, and of those there are none; but presentations do not ask. So all ways
// out lead to a proxy where nobody answers, port 9 being that of the discard protocol. Registry: `main.xcd` of LibreOffice.
const blockedLinks = registryItem("org.openoffice.Office.Common/Security/Scripting", {
  BlockUntrustedRefererLinks: "true",
  DisableMacrosExecution: "true",
});
const deadProxy = registryItem("org.openoffice.Inet/Settings", {
  ooInetProxyType: "2",
  ...Object.fromEntries(
    ["HTTP", "HTTPS", "FTP"].flatMap((scheme) => [
      [`ooInet${scheme}ProxyName`, "127.0.0.1"],
      [`ooInet${scheme}ProxyPort`, "9"],
    ]),
  ),
  ooInetNoProxy: "",
});
const registry = `<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry">${blockedLinks}${deadProxy}</oor:items>
`;

function registryItem(path: string, values: Readonly<Record<string, string>>): string {
  const properties = Object.entries(values).map(
    ([key, value]) => `<prop oor:name="${key}" oor:op="fuse"><value>${value}</value></prop>`,
  );
  return `<item oor:path="/${path}">${properties.join("")}</item>`;
}

async function makeProfile(folder: string): Promise<string> {
  const profile = join(folder, "profile");
  await mkdir(join(profile, "user"), { recursive: true });
  await writeFile(join(profile, "user", "registrymodifications.xcu"), registry);
  return profile;
}

interface Conversion {
  readonly path: string;
  readonly target: string;
  readonly profile: string;
  readonly out: string;
}

function conversionArguments({ path, target, profile, out }: Conversion): readonly string[] {
  const quiet = ["--headless", "--norestore", "--nolockcheck", "--nodefault", "--nofirststartwizard"];
  const installation = `-env:UserInstallation=${pathToFileURL(profile).href}`;
  return [installation, ...quiet, "--convert-to", target, "--outdir", out, path];
}

// LibreOffice ends with status 0 even when it converted nothing.
async function readConverted(folder: string): Promise<Uint8Array | undefined> {
  const [converted] = await readdir(folder).catch(() => []);
  return converted === undefined ? undefined : readFile(join(folder, converted));
}

// It cannot be told a password for a conversion, and opens no file that asks for one.
async function refusalOf(source: Source, password: string | undefined, stderr: string): Promise<AppError> {
  if (!isEncryptedLegacyOffice(await source.readBytes()))
    return new AppError("ENGINE_FAILED", { detail: `${name} could not open the document.` }, new Error(stderr));
  return password === undefined
    ? new AppError("PASSWORD_REQUIRED", { detail: `${name} takes no passwords: it needs a copy without protection.` })
    : new AppError("ENCRYPTION_UNSUPPORTED", { detail: `${name} takes no passwords.` });
}
