import { AppError } from "@attune/service-kit/app-error.ts";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Document } from "../document/document.ts";
import { Budget } from "../limits/budget.ts";
import { defaultLimits } from "../limits/default-limits.ts";
import type { Format } from "./format.ts";
import type { ReadContext } from "./reader.ts";
import { asciidoc } from "./asciidoc/format.ts";
import { code } from "./code/format.ts";
import { json } from "./json/format.ts";
import { jsonl } from "./jsonl/format.ts";
import { latex } from "./latex/format.ts";
import { notebook } from "./notebook/format.ts";
import { org } from "./org/format.ts";
import { rst } from "./rst/format.ts";
import { rtf } from "./rtf/format.ts";
import { subrip } from "./subrip/format.ts";
import { text } from "./text/format.ts";
import { toml } from "./toml/format.ts";
import { webvtt } from "./webvtt/format.ts";
import { xml } from "./xml/format.ts";
import { yaml } from "./yaml/format.ts";

/*
 * All readers of text against hostile bytes: whatever comes, a document or an AppError in little time. The floods repeat the
 * signs that each syntax opens something with, 50 KB of them, since that is where readers become quadratic.
 */
const formats = [asciidoc, code, json, jsonl, latex, notebook, org, rst, rtf, subrip, text, toml, webvtt, xml, yaml];
const floodLength = 50_000;
/** A flood that takes less CPU time is not looked at further. */
const unsuspiciousMs = 700;
/** How much longer a text of four times the length may take: four times in a linear reader, 16 times in a quadratic one. */
const mostGrowth = 8;

const signs = [
  "{", "[", "(", "<", "<a>", "&amp;", "*", "**", "_", "__", "`", "``", "|", "||", "+", "++", "$", "$$", "~", "^", "#", "=", "-", "--",
  ":", "::", ";", "%", "\\", "\\\\", "\"", "'", "\"`", "[[", "]]", "<<", "{{", "@@", "[fn:", "[fn:1:", "a_", "a*b ", "*a ", "`a <", "|a ",
  "\n", " \n", "a\n", "- a\n", "* a\n", "1. a\n", "a\n b\n", " a\n", "| a\n", "|a|b\n", "+-+\n", "+--+--+\n|  |\n", "===\n", "== ==\n",
  "a\n=\n", ".. a::\n", ".. a::\n ", ":a: b\n", ":a:\n", "#+begin_src\n", "#+begin_quote\n", "[a]\n", "====\n", "----\n", "--\n", "|===\n",
  "a::\n", "+\n", "* a\n+\n", "\\begin{a}", "\\begin{a}\n", "\\end{a}", "\\item ", "\\a{", "\\textbf{", "\\footnote{", "\\frac", "\\verb|",
  "\\begin{itemize}\\item ", "\\begin{tabular}{l}", "&", "\\multirow{2}{a}{", "\\'", "\\(", "\\[", "{\\bf ", "{\\rtf1", "\\par ", "\\u1 ", "\\'e9", "\\trowd\\cellx1 ",
  "\\cell ", "\\row ", "\\intbl\\itap9 ", "{\\*\\a", "{\\footnote ", "{\\field{\\fldinst ", "\\bin9999999 ", "\\ls1 a\\par ", "{\\shptxt ", "\\f1 \\'81", "00:00:01.000 --> 00:00:02.000\n",
  "1\n00:00:01,000 --> 00:00:02,000\na\n\n", "<v a>", "<c.", "{\"a\":", "[1,", "a: ", "- ", "? ", "&a *a ", "a.b=1\n", "[[a]]\n", "<!DOCTYPE a [", "<![CDATA[", "\t", "\f", "é", "\u00ad", "http://a", "link:a[", "image::a[", "footnote:[",
]; // prettier-ignore

const headers: Readonly<Record<string, string>> = {
  rtf: "{\\rtf1\\ansi ",
  ipynb: '{"nbformat": 4, "cells": [{"cell_type": "markdown", "source": "',
  vtt: "WEBVTT\n\n00:01.000 --> 00:02.000\n",
  tex: "\\begin{document}",
};

function createContext(): ReadContext {
  const empty: Document = { metadata: {}, blocks: [] };
  return {
    options: { pages: [], headersFooters: "keep", images: "placeholder" },
    budget: new Budget(defaultLimits),
    depth: 0,
    warn: () => undefined,
    readPart: async () => empty,
  };
}

async function outcomeOf(format: Format, bytes: Uint8Array): Promise<"document" | "refused"> {
  const read = await format.load?.();
  try {
    const document = await read?.({ bytes, fileName: "a.h", format: format.name }, createContext());
    return document === undefined ? "refused" : "document";
  } catch (error) {
    if (error instanceof AppError) return "refused";
    throw error;
  }
}

async function timeOf(format: Format, source: string): Promise<number> {
  const bytes = Buffer.from((headers[format.name] ?? "") + source);
  const startedAt = process.cpuUsage();
  await outcomeOf(format, bytes);
  return process.cpuUsage(startedAt).user / 1000;
}

async function leastTimeOf(format: Format, source: string): Promise<number> {
  const times: number[] = [];
  for (let run = 0; run < 2; run++) times.push(await timeOf(format, source));
  return Math.min(...times);
}

describe.each(formats.map((format) => [format.name, format] as const))("%s", (_, format) => {
  test("arbitrary bytes give a document or an AppError", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 2000 }), async (bytes) => {
        expect(["document", "refused"]).toContain(await outcomeOf(format, bytes));
      }),
      { numRuns: 50 },
    );
  });

  test("arbitrary sequences of its signs give a document or an AppError", async () => {
    const pieces = fc.array(fc.oneof(fc.constantFrom(...signs), fc.string()), { maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(pieces, async (parts) => {
        const bytes = Buffer.from((headers[format.name] ?? "") + parts.join(""));
        expect(["document", "refused"]).toContain(await outcomeOf(format, bytes));
      }),
      { numRuns: 150 },
    );
  });

  test("the time for a flood grows with its length, not with the square of it", async () => {
    await timeOf(format, "warm-up");
    const slow: string[] = [];
    for (const sign of signs) {
      const flood = (length: number): string => sign.repeat(Math.ceil(length / sign.length));
      if ((await timeOf(format, flood(floodLength))) < unsuspiciousMs) continue;
      // Whatever else the machine does makes a reading longer, so the lesser of two is the truer.
      const growth =
        (await leastTimeOf(format, flood(floodLength))) / (await leastTimeOf(format, flood(floodLength / 4)));
      if (growth > mostGrowth) slow.push(`${JSON.stringify(sign)}: ${growth.toFixed(1)} times as long`);
    }
    expect(slow).toEqual([]);
  }, 300_000);

  test("zeros and lone surrogates give a document or an AppError", async () => {
    const wide = Buffer.from("a\ud800b\udc00\0c\n".repeat(100), "utf16le");
    const zeros = Buffer.alloc(10_000);

    expect(["document", "refused"]).toContain(await outcomeOf(format, wide));
    expect(["document", "refused"]).toContain(await outcomeOf(format, zeros));
  });
});
