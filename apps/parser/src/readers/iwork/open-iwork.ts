import { AppError } from "@attune/service-kit/app-error.ts";
import { openZip, type ZipArchive } from "../../containers/zip.ts";
import type { Budget } from "../../limits/budget.ts";
import { type IworkObject, readObjects } from "./read-objects.ts";

/** Parts whose objects are models for slides, looks and states of windows, and no text of the document. */
const apart =
  /^(?:MasterSlide|TemplateSlide|DocumentStylesheet|DocumentMetadata|Metadata|ViewState|CalculationEngine|Annotation)/;

/**
 * The objects of a document by their numbers, models of slides aside.
 * @throws AppError `ENCRYPTION_UNSUPPORTED`, `DOCUMENT_CORRUPT`, `LIMIT_EXCEEDED`.
 */
export function openIwork(bytes: Uint8Array, budget: Budget): ReadonlyMap<number, IworkObject> {
  const outer = openZip(bytes, budget);
  const names = [...outer.entries.keys()];
  if (names.some((name) => /(?:^|\/)\.iwp(?:v2|h)$/.test(name)))
    throw new AppError("ENCRYPTION_UNSUPPORTED", { detail: "It is protected by a password." });
  const packed = names.find((name) => /(?:^|\/)Index\.zip$/.test(name));
  const archive = packed === undefined ? outer : openZip(outer.read(packed) ?? new Uint8Array(), budget);
  const objects = new Map<number, IworkObject>();
  for (const { name, path } of listParts(archive)) {
    if (apart.test(name)) continue;
    const part = { name, bytes: Buffer.from(archive.read(path) ?? []) };
    for (const object of readObjects(part, budget)) if (!objects.has(object.id)) objects.set(object.id, object);
  }
  return objects;
}

function listParts(archive: ZipArchive): { readonly name: string; readonly path: string }[] {
  return [...archive.entries.keys()].flatMap((path) => {
    const name = /(?:^|\/)([^/]+)\.iwa$/.exec(path)?.[1];
    return name === undefined ? [] : [{ name, path }];
  });
}
