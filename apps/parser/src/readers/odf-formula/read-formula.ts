import { AppError } from "@attune/service-kit/app-error.ts";
import { openOdf } from "../../containers/odf-package.ts";
import { mathmlToLatex } from "../../math/mathml-to-latex.ts";
import { parseMathml } from "../../math/parse-mathml.ts";
import type { ReadDocument } from "../reader.ts";

/** A formula of OpenDocument, which is one `math` element of MathML. */
export const readFormula: ReadDocument = (input, context) => {
  const { budget, options } = context;
  const opened = openOdf(input.bytes, {
    budget,
    password: options.password,
    warn: (sentence) => context.warn(sentence),
  });
  const math = parseMathml(opened.contentXml, budget.limits.maxMarkupDepth);
  if (math === undefined) throw new AppError("DOCUMENT_CORRUPT", { detail: "It has no formula." });
  const text = mathmlToLatex(math);
  return { metadata: opened.metadata, blocks: text === "" ? [] : [{ type: "formula", notation: "latex", text }] };
};
