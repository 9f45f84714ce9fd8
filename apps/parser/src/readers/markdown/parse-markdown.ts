import { fromMarkdown } from "mdast-util-from-markdown";
import { frontmatterFromMarkdown } from "mdast-util-frontmatter";
import { gfmFromMarkdown } from "mdast-util-gfm";
import { mathFromMarkdown } from "mdast-util-math";
import { frontmatter } from "micromark-extension-frontmatter";
import { gfm } from "micromark-extension-gfm";
import { math } from "micromark-extension-math";
import { dollarMath } from "./dollar-math.ts";

export type Root = ReturnType<typeof fromMarkdown>;
export type Node = Root["children"][number];
export type NodeOf<TType extends Node["type"]> = Extract<Node, { readonly type: TType }>;

/** Constructs of micromark that can be switched off, by name. */
export type ConstructName =
  | "attention"
  | "strikethrough"
  | "labelStartLink"
  | "labelStartImage"
  | "labelEnd"
  | "gfmFootnoteCall"
  | "gfmPotentialFootnoteCall"
  | "htmlText";

/**
 * CommonMark with GFM tables, task lists, strikethrough and footnotes, front matter and formulas. Bare addresses stay text:
 * their words are the same, and a link to itself says nothing more.
 */
export function parseMarkdown(text: string, without: readonly ConstructName[]): Root {
  return fromMarkdown(text, {
    extensions: [
      frontmatter(["yaml", "toml"]),
      gfm({ singleTilde: false }),
      { flow: math().flow ?? {} },
      dollarMath(),
      { disable: { null: ["wwwAutolink", "protocolAutolink", "emailAutolink", ...without] } },
    ],
    mdastExtensions: [
      frontmatterFromMarkdown(["yaml", "toml"]),
      // The extension with transforms is the one that links bare addresses.
      ...gfmFromMarkdown().filter(({ transforms }) => transforms === undefined || transforms === null),
      mathFromMarkdown(),
    ],
  });
}
