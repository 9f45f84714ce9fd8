import type { DatasetLayout } from "@attune/contracts/rest/dataset-formats.ts";
import { layouts } from "../layouts/layouts.ts";
import type { DatasetExport, ExportFile, ExportSplit } from "./export-file.ts";
import { writeJsonl } from "./write-jsonl.ts";

interface HuggingFaceOptions {
  readonly name: string;
  readonly description: string;
  readonly layout: DatasetLayout;
  readonly splits: readonly ExportSplit[];
}

/** `data/<split>.jsonl` and a dataset card `README.md` whose header names the files of each split. */
export function exportHuggingFace({ name, description, layout, splits }: HuggingFaceOptions): DatasetExport {
  const parts = splits.map(({ name: split, examples }) => {
    return { split, path: `data/${split}.jsonl`, writer: writeJsonl(examples, { layout }) };
  });
  const card: ExportFile = {
    path: "README.md",
    chunks: async function* () {
      yield renderCard({ name, description, layout }, parts);
    },
  };
  return {
    files: [...parts.map(({ path, writer }) => ({ path, chunks: writer.chunks })), card],
    counts: () => Object.fromEntries(parts.map(({ path, writer }) => [path, writer.counts()])),
  };
}

function renderCard(
  { name, description, layout }: Omit<HuggingFaceOptions, "splits">,
  parts: readonly { readonly split: string; readonly path: string }[],
): string {
  const files = parts.map(({ split, path }) => `      - split: ${split}\n        path: ${path}\n`).join("");
  const { kind, keys } = layouts[layout];
  return `---
pretty_name: ${JSON.stringify(name)}
configs:
  - config_name: default
    data_files:
${files}---

# ${name.replaceAll(/\s+/g, " ")}

${description}

Made with Attune. Layout: ${layout}, for ${purposes[kind]}. Columns: ${keys.map((key) => `\`${key}\``).join(", ")}.
`;
}

const purposes = {
  sft: "supervised fine-tuning",
  dpo: "preference training (DPO)",
  kto: "preference training with single labels (KTO)",
  cpt: "continued pre-training",
} as const;
