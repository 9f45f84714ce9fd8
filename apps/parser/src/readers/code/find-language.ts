import { languages } from "./languages.ts";

const interpreters: readonly (readonly [RegExp, string])[] = [
  [/^(?:ba|z|k|da|a)?sh$/, "bash"],
  [/^python[\d.]*$/, "python"],
  [/^(?:node|nodejs|bun)$/, "javascript"],
  [/^(?:deno|tsx|ts-node)$/, "typescript"],
  [/^perl[\d.]*$/, "perl"],
  [/^ruby[\d.]*$/, "ruby"],
  [/^php[\d.]*$/, "php"],
  [/^lua[\d.]*$/, "lua"],
  [/^[gm]?awk$/, "awk"],
  [/^Rscript$/, "r"],
  [/^(?:tclsh|wish)[\d.]*$/, "tcl"],
  [/^(?:pwsh|powershell)$/, "powershell"],
  [/^(?:fish|julia|groovy|elixir|swift|make)$/, ""],
];

// Extensions that two languages share, with what only the second of them writes.
const shared: Readonly<Record<string, readonly [RegExp, string]>> = {
  h: [/^[ \t]*(?:class|namespace|template|using)\b|\bstd::/m, "cpp"],
  m: [/^[ \t]*(?:#import|@interface|@implementation|@protocol)\b/m, "objectivec"],
  pl: [/^[ \t]*:-|^[a-z]\w*\([^\n)]*\)[ \t]*:-/m, "prolog"],
  v: [/^[ \t]*(?:Theorem|Lemma|Require Import)\b/m, "coq"],
  d: [/^[^\n:]+\.o:/m, "makefile"],
};

const judgedLength = 16_384;

/** The language of source code from its file name, then from the interpreter its first line calls; undefined: unknown. */
export function findLanguage(fileName: string, text: string): string | undefined {
  const name = fileName.toLowerCase();
  const extension = name.slice(name.lastIndexOf(".") + 1);
  const head = text.slice(0, judgedLength);
  const other = Object.hasOwn(shared, extension) ? shared[extension] : undefined;
  if (other?.[0].test(head) === true) return other[1];
  return entryOf(name) ?? entryOf(extension) ?? dockerfile(name) ?? byInterpreter(head);
}

function entryOf(key: string): string | undefined {
  return Object.hasOwn(languages, key) ? languages[key] : undefined;
}

function dockerfile(name: string): string | undefined {
  return name.startsWith("dockerfile.") ? "dockerfile" : undefined;
}

function byInterpreter(head: string): string | undefined {
  if (head.startsWith("<?php")) return "php";
  const line = /^#!([^\n]{1,200})/.exec(head)?.[1]?.trim();
  if (line === undefined) return undefined;
  const words = line.split(/\s+/).map((word) => word.slice(word.lastIndexOf("/") + 1));
  const command = words[0] === "env" ? words.slice(1).find((word) => !/^-|=/.test(word)) : words[0];
  const found = interpreters.find(([pattern]) => pattern.test(command ?? ""));
  return found === undefined ? undefined : found[1] || command;
}
