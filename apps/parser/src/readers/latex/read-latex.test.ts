import { expect, test } from "vitest";
import { Budget } from "../../limits/budget.ts";
import { defaultLimits } from "../../limits/default-limits.ts";
import { readSource } from "../../reading/read-source.ts";

async function read(body: string) {
  const { document, warnings } = await readSource(
    {
      bytes: Buffer.from(`\\documentclass{article}\\begin{document}${body}\\end{document}`),
      fileName: "a.tex",
      format: "tex",
    },
    { pages: [], headersFooters: "drop", images: "placeholder" },
    new Budget(defaultLimits),
  );
  return { blocks: document.blocks, warnings };
}

test.each(["\\input{chapter}", "\\include{chapter}", "\\bibliography{refs}", "\\printbibliography[title=Sources]"])(
  "%s stands for text of another file, which is told",
  async (command) => {
    const { blocks, warnings } = await read(`Body ${command}`);

    expect(blocks).toEqual([{ type: "paragraph", inlines: ["Body"] }]);
    expect(warnings).toEqual(["The text includes another file, which is not read."]);
  },
);

test("commands that are not known vanish, and what they hold stays", async () => {
  const { blocks, warnings } = await read("\\institute{Institute of Logic} \\unheardof{kept}");

  expect(blocks).toEqual([{ type: "paragraph", inlines: ["Institute of Logic kept"] }]);
  expect(warnings).toEqual([]);
});
