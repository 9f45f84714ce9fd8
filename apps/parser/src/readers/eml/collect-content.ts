import type { MimePart } from "../../containers/mime.ts";

/** The parts of a message, sorted by what they are for. */
export interface MessageContent {
  /** Texts shown one after the other; of alternatives, each representation that can be read. */
  readonly bodies: BodyPart[];
  readonly attachments: MimePart[];
  /** Pictures to be shown in the texts. */
  readonly pictures: MimePart[];
  /** What kinds of encryption hide parts of the message. */
  readonly encrypted: string[];
  /** Multiparts that were not taken apart: without a boundary, or too deep. */
  readonly undivided: MimePart[];
}

export interface BodyPart {
  readonly plain?: MimePart;
  readonly html?: MimePart;
}

export function collectContent(root: MimePart): MessageContent {
  const content: MessageContent = { bodies: [], attachments: [], pictures: [], encrypted: [], undivided: [] };
  collect(root, content);
  return content;
}

function collect(part: MimePart, content: MessageContent): void {
  const { mediaType, parts } = part;
  if (mediaType === "multipart/encrypted") content.encrypted.push(part.parameters.get("protocol") ?? "PGP/MIME");
  else if (parts.length > 0) collectParts(part, content);
  else if (!mediaType.startsWith("multipart/")) collectLeaf(part, content);
  else if (part.decode().length > 0) content.undivided.push(part);
}

function collectParts(part: MimePart, content: MessageContent): void {
  const { mediaType, parts } = part;
  if (mediaType === "multipart/alternative") collectAlternative(part, content);
  else if (mediaType === "multipart/related") collectRelated(part, content);
  // What follows the content of a signed message is its signature.
  else for (const child of mediaType === "multipart/signed" ? parts.slice(0, 1) : parts) collect(child, content);
}

function collectLeaf(part: MimePart, content: MessageContent): void {
  const { mediaType, disposition } = part;
  if (/^application\/(?:x-)?pkcs7-(?:mime|signature)$/.test(mediaType)) {
    if (mediaType.endsWith("mime")) content.encrypted.push(part.parameters.get("smime-type") ?? "S/MIME");
  } else if (mediaType === "application/pgp-signature") return;
  else if (isPgpMessage(part)) content.encrypted.push("PGP");
  else if (disposition !== "attachment" && mediaType === "text/plain") content.bodies.push({ plain: part });
  else if (disposition !== "attachment" && mediaType === "text/html") content.bodies.push({ html: part });
  else content.attachments.push(part);
}

function isPgpMessage(part: MimePart): boolean {
  const { mediaType } = part;
  if (mediaType !== "text/plain" && mediaType !== "application/octet-stream") return false;
  return Buffer.from(part.decode().subarray(0, 64))
    .toString("latin1")
    .trimStart()
    .startsWith("-----BEGIN PGP MESSAGE-----");
}

// One body in several representations; what is neither text nor HTML (calendars, files) is attached.
function collectAlternative(part: MimePart, content: MessageContent): void {
  const { pictures, encrypted, undivided } = content;
  const inner: MessageContent = { bodies: [], attachments: [], pictures, encrypted, undivided };
  for (const child of part.parts) collect(child, inner);
  const plain = inner.bodies.find((body) => body.plain !== undefined)?.plain;
  const html = inner.bodies.find((body) => body.html !== undefined)?.html;
  if (plain !== undefined || html !== undefined) {
    content.bodies.push({ ...(plain !== undefined && { plain }), ...(html !== undefined && { html }) });
  }
  const rest = inner.bodies.filter((body) => body.plain !== plain && body.html !== html);
  // The richest representation stands last: plain text after its HTML belongs to it, plain text before is the poorer one.
  const htmlAt = inner.bodies.findIndex((body) => body.html !== undefined);
  const others = rest.filter((body) => body.plain === undefined || inner.bodies.indexOf(body) > htmlAt);
  for (const body of others) content.bodies.push(body);
  for (const attachment of inner.attachments) content.attachments.push(attachment);
}

// The first part is the text; pictures come to be shown in it, other files are attachments.
function collectRelated(part: MimePart, content: MessageContent): void {
  for (const [index, child] of part.parts.entries()) {
    const isShownInText = index > 0 && child.mediaType.startsWith("image/") && child.header("content-id") !== undefined;
    if (isShownInText) content.pictures.push(child);
    else collect(child, content);
  }
}
