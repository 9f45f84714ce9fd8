import type { Document } from "../../document/document.ts";
import { Budget, type DocumentLimits } from "../../limits/budget.ts";
import { defaultLimits } from "../../limits/default-limits.ts";
import type { ReadOptions } from "../reader.ts";
import { readDoc } from "./read-doc.ts";

export interface MadeReading {
  readonly blocks: Document["blocks"];
  readonly warnings: readonly string[];
}

interface MadeOptions extends Partial<ReadOptions> {
  readonly limits?: Partial<DocumentLimits>;
}

/** Reads a file made for a test. */
export async function readMade(bytes: Buffer, { limits, ...options }: MadeOptions = {}): Promise<MadeReading> {
  const warnings: string[] = [];
  const document = await readDoc(
    { bytes, fileName: "a.doc", format: "doc" },
    {
      options: { pages: [], headersFooters: "drop", images: "placeholder", ...options },
      budget: new Budget({ ...defaultLimits, ...limits }),
      depth: 0,
      warn: (sentence) => void warnings.push(sentence),
      readPart: () => Promise.reject(new Error("no parts")),
    },
  );
  return { blocks: document.blocks, warnings };
}

export const paragraphOf = (...inlines: readonly unknown[]): unknown => ({ type: "paragraph", inlines });
