import { expect, test } from "vitest";
import type { Document } from "../../document/document.ts";
import { Budget } from "../../limits/budget.ts";
import { defaultLimits } from "../../limits/default-limits.ts";
import type { PartInput, ReadContext } from "../reader.ts";
import { readNotebook } from "./read-notebook.ts";

async function read(notebook: unknown): Promise<{ document: Document; parts: PartInput[]; warnings: string[] }> {
  const parts: PartInput[] = [];
  const warnings: string[] = [];
  const context: ReadContext = {
    options: { pages: [], headersFooters: "drop", images: "data_uri" },
    budget: new Budget(defaultLimits),
    depth: 0,
    warn: (sentence) => void warnings.push(sentence),
    readPart: async (part) => {
      parts.push(part);
      return { metadata: {}, blocks: [{ type: "paragraph", inlines: [Buffer.from(part.bytes).toString()] }] };
    },
  };
  const bytes = Buffer.from(typeof notebook === "string" ? notebook : JSON.stringify(notebook));
  return { document: await readNotebook({ bytes, fileName: "a.ipynb", format: "ipynb" }, context), parts, warnings };
}

const code = (outputs: unknown[]): unknown => ({ cells: [{ cell_type: "code", source: "", outputs }] });

test("Markdown cells and HTML outputs go through the readers of their formats", async () => {
  const cells = [
    { cell_type: "markdown", source: ["# a\n", "b"] },
    { cell_type: "code", source: "", outputs: [{ output_type: "display_data", data: { "text/html": "<table>" } }] },
  ];
  const { parts } = await read({ cells });

  expect(parts.map(({ format }) => format)).toEqual(["md", "html"]);
});

test("colours of a traceback and overwritten progress bars are removed", async () => {
  const { document } = await read(
    code([
      { output_type: "stream", text: "10%\r100%\ndone\n" },
      { output_type: "error", traceback: ["\u001b[0;31mValueError\u001b[0m"] },
    ]),
  );

  expect(document.blocks).toEqual([
    { type: "code", text: "100%\ndone" },
    { type: "code", text: "ValueError" },
  ]);
});

test("a picture carries its bytes when they are asked for", async () => {
  const { document } = await read(code([{ output_type: "display_data", data: { "image/png": "AQID" } }]));

  expect(document.blocks).toMatchObject([
    { type: "image", data: { mediaType: "image/png", bytes: Buffer.of(1, 2, 3) } },
  ]);
});

test("an output whose forms are all unknown is told, one that has a plain form too is not", async () => {
  const plot = { "application/vnd.plot.v1+json": { data: [1] } };
  const shown = (data: unknown): unknown => code([{ output_type: "display_data", data }]);

  expect((await read(shown(plot))).warnings).toEqual([
    "An output of a form that is not read was left out (application/vnd.plot.v1+json).",
  ]);
  expect((await read(shown({ ...plot, "text/plain": "Plot" }))).warnings).toEqual([]);
});

test.each(["{", "[]", '{"cells": 1}'])("%s is refused as damaged", async (source) => {
  await expect(read(source)).rejects.toThrow("DOCUMENT_CORRUPT");
});
