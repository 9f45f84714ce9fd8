import { AppError } from "@attune/service-kit/app-error.ts";
import type { Budget } from "../limits/budget.ts";
import { decodeText } from "../text/decode-text.ts";
import { walkXml } from "../xml/walk-xml.ts";
import { opcNamespaces } from "./opc-namespaces.ts";
import { openZip } from "./zip.ts";

export interface OpcRelationship {
  readonly id: string;
  /** Last segment of the type's URI, the same for transitional and strict files: `officeDocument`, `hyperlink`, `image`. */
  readonly kind: string;
  /** Part name without the leading slash; for an external target its URI as written, which is never to be fetched. */
  readonly target: string;
  readonly isExternal: boolean;
}

/** Relationships of one part, in the order of the file. */
export class OpcRelationships {
  readonly all: readonly OpcRelationship[];
  readonly #byId: ReadonlyMap<string, OpcRelationship>;

  constructor(all: readonly OpcRelationship[]) {
    this.all = all;
    this.#byId = new Map(all.map((relationship) => [relationship.id, relationship]));
  }

  byId(id: string | undefined): OpcRelationship | undefined {
    return id === undefined ? undefined : this.#byId.get(id);
  }

  /** The part that the first internal relationship of this kind points to. */
  partOfKind(kind: string): string | undefined {
    return this.all.find((relationship) => relationship.kind === kind && !relationship.isExternal)?.target;
  }
}

/** A package of parts by the Open Packaging Conventions (ECMA-376 part 2). Part names are without the leading slash. */
export interface OpcPackage {
  readonly partNames: readonly string[];
  /** The bytes of a part, or undefined when there is none. @throws AppError as `ZipArchive.read` does. */
  read(partName: string): Uint8Array | undefined;
  /** Media type by `[Content_Types].xml`, lower case, without parameters. */
  contentTypeOf(partName: string): string | undefined;
  /** Of the package itself for an empty name. A damaged list is told with `warn` and counts as empty. */
  relationshipsOf(partName: string): OpcRelationships;
}

export interface OpenPackageInput {
  readonly bytes: Uint8Array;
  readonly budget: Budget;
  readonly warn: (sentence: string) => void;
}

/**
 * Opens an Office Open XML file without expanding its parts.
 * @throws AppError as `openZip` does.
 */
export function openOpcPackage({ bytes, budget, warn }: OpenPackageInput): OpcPackage {
  const archive = openZip(bytes, budget);
  const parts = { names: [...archive.entries.keys()], read: (name: string) => archive.read(name) };
  return createOpcPackage(parts, { maxDepth: budget.limits.maxMarkupDepth, warn });
}

export interface OpcParts {
  readonly names: readonly string[];
  readonly read: (name: string) => Uint8Array | undefined;
}

/** A package over parts that were found some other way, such as in Flat OPC. */
export function createOpcPackage(parts: OpcParts, { maxDepth, warn }: PackageOptions): OpcPackage {
  const partNames = parts.names.filter((name) => !name.endsWith("/"));
  const nameByKey = new Map<string, string>();
  for (const name of partNames) if (!nameByKey.has(keyOf(name))) nameByKey.set(keyOf(name), name);
  const read = (partName: string): Uint8Array | undefined => {
    const name = nameByKey.get(keyOf(partName));
    return name === undefined ? undefined : parts.read(name);
  };
  const known = new Map<string, OpcRelationships>();
  let types: ContentTypes | undefined;
  return {
    partNames,
    read,
    contentTypeOf: (partName) => {
      types ??= readContentTypes(read, { maxDepth, warn });
      return types.overrides.get(keyOf(partName)) ?? types.defaults.get(extensionOf(partName));
    },
    relationshipsOf: (partName) => {
      let relationships = known.get(partName);
      if (relationships === undefined) {
        relationships = readRelationships(partName, read, { maxDepth, warn });
        known.set(partName, relationships);
      }
      return relationships;
    },
  };
}

interface PackageOptions {
  readonly maxDepth: number;
  readonly warn: (sentence: string) => void;
}

type ReadPart = (partName: string) => Uint8Array | undefined;

interface ContentTypes {
  readonly overrides: ReadonlyMap<string, string>;
  readonly defaults: ReadonlyMap<string, string>;
}

function readContentTypes(read: ReadPart, { maxDepth, warn }: PackageOptions): ContentTypes {
  const overrides = new Map<string, string>();
  const defaults = new Map<string, string>();
  attempt("[Content_Types].xml", warn, () => {
    const bytes = read("[Content_Types].xml");
    if (bytes === undefined) return;
    const open = (name: string, attributes: { get(name: string): string | undefined }): void => {
      const type = (attributes.get("ContentType") ?? "").toLowerCase().split(";")[0]?.trim() ?? "";
      if (name === "Override") overrides.set(keyOf(attributes.get("PartName") ?? ""), type);
      if (name === "Default") defaults.set((attributes.get("Extension") ?? "").toLowerCase(), type);
    };
    walkXml(decodeXml(bytes), { open }, { maxDepth, namespaces: opcNamespaces });
  });
  return { overrides, defaults };
}

function readRelationships(partName: string, read: ReadPart, { maxDepth, warn }: PackageOptions): OpcRelationships {
  const slashAt = partName.lastIndexOf("/");
  const folder = partName.slice(0, slashAt + 1);
  const listName = `${folder}_rels/${partName.slice(slashAt + 1)}.rels`;
  const all: OpcRelationship[] = [];
  attempt(listName, warn, () => {
    const bytes = read(listName);
    if (bytes === undefined) return;
    const open = (name: string, attributes: { get(name: string): string | undefined }): void => {
      if (name !== "Relationship") return;
      const isExternal = attributes.get("TargetMode")?.toLowerCase() === "external";
      const target = attributes.get("Target") ?? "";
      const kind = (attributes.get("Type") ?? "").split("/").at(-1) ?? "";
      const resolved = isExternal ? target : resolvePartName(folder, target);
      all.push({ id: attributes.get("Id") ?? "", kind, target: resolved, isExternal });
    };
    walkXml(decodeXml(bytes), { open }, { maxDepth, namespaces: opcNamespaces });
  });
  return new OpcRelationships(all);
}

/** Text of an XML part, whatever its encoding. */
export function decodeXml(bytes: Uint8Array): string {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 200)).toString("latin1");
  const charset = /^\s*<\?xml[^>]*?encoding\s*=\s*["']([\w.:-]+)["']/.exec(head)?.[1];
  return decodeText(bytes, { ...(charset !== undefined && isKnownEncoding(charset) && { charset }) }).text;
}

function isKnownEncoding(label: string): boolean {
  try {
    return new TextDecoder(label).encoding !== "";
  } catch {
    return false; // not a WHATWG label
  }
}

/**
 * Does what an optional part needs; a damaged one is told and left out.
 * @returns the damage, if there is one.
 * @throws AppError limits of the document, which leaving out a part does not mend.
 */
export function attempt(partName: string, warn: (sentence: string) => void, act: () => void): AppError | undefined {
  try {
    act();
    return undefined;
  } catch (error) {
    const isDamage = error instanceof AppError && damageReasons.has(error.reason);
    if (!isDamage) throw error;
    const detail = error.details.detail === undefined ? "" : ` ${error.details.detail}`;
    warn(`The part ${partName.slice(0, 200)} is damaged and was left out.${detail}`);
    return error;
  }
}

/** Why a document cannot be read of which no part can: as its first damaged part says. */
export function nothingReadable(what: string, damage: AppError | undefined): AppError {
  const detail = damage?.details.detail;
  return new AppError(damage?.reason ?? "DOCUMENT_CORRUPT", {
    detail: `None of its ${what} can be read.${detail === undefined ? "" : ` ${detail}`}`,
  });
}

const damageReasons: ReadonlySet<string> = new Set(["DOCUMENT_CORRUPT", "MARKUP_REFUSED", "ENCRYPTION_UNSUPPORTED"]);

/** Target of an internal relationship as a part name; it cannot leave the package. */
function resolvePartName(folder: string, target: string): string {
  const path = target.replaceAll("\\", "/").split(/[?#]/)[0] ?? "";
  const segments: string[] = [];
  for (const segment of (path.startsWith("/") ? path : folder + path).split("/")) {
    if (segment === "..") segments.pop();
    else if (segment !== "" && segment !== ".") segments.push(segment);
  }
  return segments.join("/");
}

// Part names are compared without case, and may be percent-encoded on either side.
function keyOf(partName: string): string {
  const name = partName.replace(/^\/+/, "").toLowerCase();
  if (!name.includes("%")) return name;
  try {
    return decodeURIComponent(name);
  } catch {
    return name; // a stray percent sign
  }
}

function extensionOf(partName: string): string {
  return partName.slice(partName.lastIndexOf(".") + 1).toLowerCase();
}
