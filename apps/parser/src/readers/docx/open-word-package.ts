import { AppError } from "@attune/service-kit/app-error.ts";
import { parseOpcElement } from "../../containers/opc-element.ts";
import { createOpcPackage, decodeXml, openOpcPackage, type OpcPackage } from "../../containers/opc-package.ts";
import type { ReadContext } from "../reader.ts";

/** A Word package and the name of its main part. */
export interface WordPackage {
  readonly opc: OpcPackage;
  readonly mainPart: string;
}

/** @throws AppError `DOCUMENT_CORRUPT` when there is no document in it, and as `openOpcPackage` does. */
export function openWordPackage(bytes: Uint8Array, { budget, warn }: WordPackageOptions): WordPackage {
  const isZip = bytes[0] === 0x50 && bytes[1] === 0x4b;
  const opc = isZip ? openOpcPackage({ bytes, budget, warn }) : openFlat(bytes, { budget, warn });
  const mainPart = opc.relationshipsOf("").partOfKind("officeDocument") ?? findMainPart(opc);
  if (mainPart === undefined || opc.read(mainPart) === undefined) {
    throw new AppError("DOCUMENT_CORRUPT", { detail: "The package has no document part." });
  }
  return { opc, mainPart };
}

interface WordPackageOptions {
  readonly budget: ReadContext["budget"];
  readonly warn: (sentence: string) => void;
}

function findMainPart(opc: OpcPackage): string | undefined {
  const typed = opc.partNames.find((name) =>
    /(?:document|template)(?:\.\w+)*\.main\+xml$/.test(opc.contentTypeOf(name) ?? ""),
  );
  return typed ?? opc.partNames.find((name) => /^word\/document\d*\.xml$/i.test(name));
}

// Flat OPC: each part is a `pkg:part` with its XML, or with its bytes in base64.
function openFlat(bytes: Uint8Array, { budget, warn }: WordPackageOptions): OpcPackage {
  const xml = decodeXml(bytes);
  const { maxMarkupDepth } = budget.limits;
  const parts = flatParts(xml);
  if (parts.size === 0) throw new AppError("DOCUMENT_CORRUPT", { detail: "It is neither a ZIP package nor Flat OPC." });
  budget.takeEntries(parts.size);
  const read = (name: string): Uint8Array | undefined => {
    const part = parts.get(name);
    if (part === undefined) return undefined;
    const content = readFlatPart(part, maxMarkupDepth);
    budget.takeExpandedBytes(content.length);
    return content;
  };
  return createOpcPackage({ names: [...parts.keys()], read }, { maxDepth: maxMarkupDepth, warn });
}

const partPattern = /<pkg:part\b([^>]*)>/g;

// Parts are cut out as text, so that each keeps the declarations of namespaces that it carries itself.
function flatParts(xml: string): Map<string, string> {
  if (/<!DOCTYPE/i.test(xml.slice(0, 4096))) {
    throw new AppError("MARKUP_REFUSED", { detail: "It has a document type declaration." });
  }
  const parts = new Map<string, string>();
  for (const match of xml.matchAll(partPattern)) {
    const name = /\bpkg:name\s*=\s*["']\/?([^"']*)["']/.exec(match[1] ?? "")?.[1];
    const from = match.index + match[0].length;
    const to = xml.indexOf("</pkg:part>", from);
    if (name !== undefined && to !== -1 && !parts.has(name)) parts.set(name, xml.slice(from, to));
  }
  return parts;
}

function readFlatPart(part: string, maxDepth: number): Uint8Array {
  const inner = (tag: string): string | undefined => {
    const from = part.indexOf(`<pkg:${tag}`);
    const contentFrom = part.indexOf(">", from) + 1;
    const to = part.lastIndexOf(`</pkg:${tag}>`);
    return from === -1 || to < contentFrom ? undefined : part.slice(contentFrom, to);
  };
  const xml = inner("xmlData");
  if (xml !== undefined) return Buffer.from(xml, "utf8");
  const binary = inner("binaryData");
  return Buffer.from(parseOpcElement(`<b>${binary ?? ""}</b>`, maxDepth)?.text ?? "", "base64");
}
