import type { Tokens } from "../ngrams/tokens.ts";
import { stripPythonEnd } from "../python/python-text.ts";
import { ascii13aClasses } from "./ascii-13a-classes.ts";
import { splitMarks } from "./split-marks.ts";

/** sacreBLEU 2.6.0 `tok:13a`, that is mteval-v13a.pl, the tokenizer of WMT: for languages of the Latin script. */
export function tokenize13a(text: string): Tokens {
  let line = stripPythonEnd(text).replaceAll("<skipped>", "").replaceAll("-\n", "");
  if (line.includes("&")) {
    line = line.replaceAll("&quot;", '"').replaceAll("&amp;", "&").replaceAll("&lt;", "<").replaceAll("&gt;", ">");
  }
  return splitMarks(` ${line} `, classes);
}

const classes = { units: ascii13aClasses() };
