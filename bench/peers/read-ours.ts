import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { createProbe } from "../../apps/parser/src/detection/create-probe.ts";
import { detectFormat } from "../../apps/parser/src/detection/detect-format.ts";
import { normaliseDocument } from "../../apps/parser/src/document/normalise-document.ts";
import { renderDocument } from "../../apps/parser/src/document/render/render-document.ts";
import * as formatModules from "../../apps/parser/src/formats.ts";
import { plainOptions } from "../../apps/parser/src/isolation/testing/parse-options.ts";
import { Budget } from "../../apps/parser/src/limits/budget.ts";
import { defaultLimits } from "../../apps/parser/src/limits/default-limits.ts";
import { readSource } from "../../apps/parser/src/reading/read-source.ts";

const formats = Object.values(formatModules);

/** What the engine `builtin` makes of a file, as Markdown with the settings that apply when nothing is asked for. */
export async function readOurs(path: string): Promise<string> {
  const bytes = readFileSync(path);
  const detection = detectFormat(createProbe(bytes), { fileName: basename(path) }, formats);
  if (detection === undefined) throw new Error("unknown type");
  const { document } = await readSource(
    { bytes, fileName: basename(path), format: detection.format.name },
    plainOptions.read,
    new Budget(defaultLimits),
  );
  return renderDocument(normaliseDocument(document), plainOptions.render);
}
