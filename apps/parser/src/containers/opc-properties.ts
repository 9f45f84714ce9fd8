import type { Metadata } from "../document/document.ts";
import { parseOpcElement } from "./opc-element.ts";
import { attempt, decodeXml, type OpcPackage } from "./opc-package.ts";

interface PropertyOptions {
  readonly maxDepth: number;
  readonly warn: (sentence: string) => void;
}

/** What the core and extended properties of an Office file say about it; damaged ones are told and left out. */
export function readOpcProperties(opc: OpcPackage, options: PropertyOptions): Metadata {
  const root = opc.relationshipsOf("");
  const core = readProperties(opc, root.partOfKind("core-properties") ?? "docProps/core.xml", options);
  const extended = readProperties(
    opc,
    root.partOfKind("extended-properties") ?? root.partOfKind("extendedProperties") ?? "docProps/app.xml",
    options,
  );
  return toMetadata(core, extended);
}

type Properties = ReadonlyMap<string, string>;

function readProperties(opc: OpcPackage, partName: string, { maxDepth, warn }: PropertyOptions): Properties {
  const properties = new Map<string, string>();
  attempt(partName, warn, () => {
    const bytes = opc.read(partName);
    const root = bytes && parseOpcElement(decodeXml(bytes), maxDepth);
    for (const element of root?.elements() ?? []) {
      const text = element.text.trim();
      if (text !== "") properties.set(element.name, text);
    }
  });
  return properties;
}

function toMetadata(core: Properties, extended: Properties): Metadata {
  const title = core.get("dc:title");
  const authors = listOf(core.get("dc:creator"), /;/);
  const subject = core.get("dc:subject") ?? core.get("dc:description");
  const keywords = listOf(core.get("cp:keywords"), /[,;]/);
  const language = core.get("dc:language");
  const createdAt = dateOf(core.get("dcterms:created"));
  const modifiedAt = dateOf(core.get("dcterms:modified"));
  const pageCount = Number(extended.get("ep:Pages") ?? extended.get("ep:Slides"));
  return {
    ...(title !== undefined && { title }),
    ...(authors.length > 0 && { authors }),
    ...(subject !== undefined && { subject }),
    ...(keywords.length > 0 && { keywords }),
    ...(language !== undefined && { language }),
    ...(createdAt !== undefined && { createdAt }),
    ...(modifiedAt !== undefined && { modifiedAt }),
    ...(Number.isSafeInteger(pageCount) && pageCount > 0 && { pageCount }),
  };
}

function listOf(text: string | undefined, separator: RegExp): string[] {
  return (text ?? "")
    .split(separator)
    .map((item) => item.trim())
    .filter((item) => item !== "");
}

// W3CDTF as it stands in the file, when it is a date at all.
function dateOf(text: string | undefined): string | undefined {
  return text !== undefined && /^\d{4}(-\d\d){0,2}(T[\d:.]+(Z|[+-]\d\d:\d\d)?)?$/.test(text) ? text : undefined;
}
