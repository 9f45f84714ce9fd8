import type { MailAttachment } from "../mail-attachments.ts";
import { attributeId, readAttributes, type TnefAttribute } from "./read-attributes.ts";
import { codePageOf, decodeNarrow, type Properties, propertyId, readProperties } from "./read-properties.ts";

/** A message with what came with it. */
export interface TnefMessage {
  readonly properties: Properties;
  /** From the attributes of old mail programs, for where there is no property. */
  readonly subject: string;
  readonly body: string;
  readonly sentAt: Date | undefined;
  readonly attachments: readonly TnefAttachment[];
  readonly isCut: boolean;
}

export interface TnefAttachment extends MailAttachment {
  readonly contentId: string;
  readonly isHidden: boolean;
}

/** @throws AppError `DOCUMENT_CORRUPT`. */
export function openMessage(bytes: Buffer): TnefMessage {
  const { attributes, isCut } = readAttributes(bytes);
  const firstAttachment = attributes.findIndex(({ id }) => id === attributeId.beginAttachment);
  const own = firstAttachment < 0 ? attributes : attributes.slice(0, firstAttachment);
  const dataOf = (id: number): Buffer | undefined => own.find((attribute) => attribute.id === id)?.data;
  const codePage = codePageOf(dataOf(attributeId.codePage));
  const textOf = (id: number): string => {
    const data = dataOf(id);
    return data === undefined ? "" : decodeNarrow(data, codePage);
  };
  const properties = dataOf(attributeId.properties);
  return {
    properties: properties === undefined ? new Map() : readProperties(properties, codePage),
    subject: textOf(attributeId.subject),
    body: textOf(attributeId.body),
    sentAt: dateOf(dataOf(attributeId.sentAt)),
    attachments: firstAttachment < 0 ? [] : listAttachments(attributes.slice(firstAttachment), codePage),
    isCut,
  };
}

// `DTR` ([MS-OXTNEF] 2.1.3.3.3): year, month, day, hour, minute, second.
function dateOf(data: Buffer | undefined): Date | undefined {
  if (data === undefined || data.length < 12) return undefined;
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = [0, 2, 4, 6, 8, 10].map((at) =>
    data.readUInt16LE(at),
  );
  const date = new Date(Date.UTC(year, month - 1, day, hour, minute, second));
  return year > 1900 && year < 10_000 ? date : undefined;
}

function listAttachments(attributes: readonly TnefAttribute[], codePage: string): TnefAttachment[] {
  const groups: Map<number, Buffer>[] = [];
  for (const { id, data } of attributes) {
    if (id === attributeId.beginAttachment) groups.push(new Map());
    else groups.at(-1)?.set(id, data);
  }
  return groups.map((group) => toAttachment(group, codePage));
}

function toAttachment(group: ReadonlyMap<number, Buffer>, codePage: string): TnefAttachment {
  const own = group.get(attributeId.attachmentProperties);
  const properties: Properties = own === undefined ? new Map() : readProperties(own, codePage);
  const title = group.get(attributeId.attachmentTitle);
  const text = (id: number): string => {
    const value = properties.get(id);
    return typeof value === "string" ? value.trim() : "";
  };
  const inner = innerMessage(properties);
  return {
    name:
      text(propertyId.attachedLongName) ||
      text(propertyId.attachedName) ||
      (title === undefined ? "" : decodeNarrow(title, codePage)),
    mediaType: text(propertyId.attachedMediaType).toLowerCase(),
    contentId: text(propertyId.attachedContentId).replace(/^<|>$/g, ""),
    isHidden: (properties.get(propertyId.isHidden) ?? 0) !== 0,
    ...(inner !== undefined && { format: "tnef" }),
    decode: () => inner ?? group.get(attributeId.attachmentData) ?? objectOf(properties) ?? Buffer.alloc(0),
  };
}

/** What stands before an object: which interface gives it. */
const interfaceBytes = 16;
const signature = Buffer.from([0x78, 0x9f, 0x3e, 0x22]);

function objectOf(properties: Properties): Buffer | undefined {
  const value = properties.get(propertyId.attachedObject);
  return Buffer.isBuffer(value) ? value.subarray(Math.min(interfaceBytes, value.length)) : undefined;
}

// A message inside is a stream of the same kind.
function innerMessage(properties: Properties): Buffer | undefined {
  const object = objectOf(properties);
  return object?.subarray(0, signature.length).equals(signature) === true ? object : undefined;
}
