import { Budget } from "../limits/budget.ts";
import { defaultLimits } from "../limits/default-limits.ts";
import { readSource } from "../reading/read-source.ts";

/** A file so small that reading it only makes the reader load what it needs, such as the PDFium module. */
const samples: Readonly<Record<string, string>> = {
  pdf: `%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>endobj
4 0 obj<</Length 31>>stream
BT /F 9 Tf 9 9 Td (Warm) Tj ET 
endstream endobj
5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj
trailer<</Root 1 0 R>>
`,
};

/**
 * Loads the readers of these formats ahead of the first document. Without a sample a reader is given nothing, which it
 * refuses; one that cannot be loaded will fail, and say so, when a document needs it.
 */
export async function warmUp(formats: readonly string[]): Promise<void> {
  for (const format of formats) {
    const input = { bytes: Buffer.from(samples[format] ?? "", "latin1"), fileName: "", format };
    await readSource(input, { pages: [], headersFooters: "drop", images: "none" }, new Budget(defaultLimits)).catch(
      () => undefined,
    );
  }
}
