import { expect, it } from "vitest";
import { jatsToMarkdown } from "./jats-to-markdown.ts";

const article = `<?xml version="1.0"?>
<!DOCTYPE article PUBLIC "-//NLM//DTD JATS" "JATS.dtd">
<article><front><article-meta><title-group><article-title>On <italic>basil</italic></article-title></title-group>
<abstract><p>Short.</p></abstract></article-meta></front>
<body><sec><title>Methods</title><p>We measured<sup>1</sup> it <xref>[2]</xref>.
<table-wrap><label>Table 1</label><caption><p>Doses</p></caption>
<table><thead><tr><th colspan="2">Dose &amp; day</th></tr></thead><tbody><tr><td>1</td><td>2</td></tr></tbody></table>
<table-wrap-foot><p>a: mg</p></table-wrap-foot></table-wrap></p>
<sec><title>Animals</title><list><list-item><p>rats</p></list-item></list></sec></sec></body>
<back><ref-list><title>References</title><ref><label>1</label><element-citation><name><surname>Ito</surname><given-names>M</given-names></name></element-citation></ref></ref-list></back></article>`;

it("writes an article as its publisher's XML has it, tables where they stand", () => {
  expect(jatsToMarkdown(article).trim().split("\n\n")).toEqual([
    "# On basil",
    "Short.",
    "## Methods",
    "We measured1 it [2].",
    "Table 1 Doses",
    '<table><tr><td colspan="2">Dose &amp; day</td></tr><tr><td>1</td><td>2</td></tr></table>',
    "a: mg",
    "### Animals",
    "- rats",
    "## References",
    "1 Ito M",
  ]);
});
