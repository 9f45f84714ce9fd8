import { addressParser, decodeWords } from "postal-mime";
import type { MimePart } from "../../containers/mime.ts";
import type { Block, Metadata } from "../../document/document.ts";
import { mailHeaderBlocks } from "../mail-header-blocks.ts";

const labels = [
  ["From", "from"],
  ["To", "to"],
  ["Cc", "cc"],
  ["Bcc", "bcc"],
  ["Date", "date"],
] as const;

const maxAddresses = 1000;
// The library takes time in the square of the length for lists that are made to be slow.
const maxHeaderLength = 1 << 17;

export function hasHeaders(root: MimePart): boolean {
  return ["from", "to", "subject", "date", "received", "mime-version", "content-type"].some(
    (name) => root.rawHeaders(name).length > 0,
  );
}

/** The subject as heading, then what a mail program shows above a message. */
export function headerBlocks(root: MimePart): Block[] {
  const lines = labels.map(([label, name]): [string, string] => [
    label,
    name === "date" ? clean(root.header("date") ?? "") : addressesOf(root, name),
  ]);
  return mailHeaderBlocks(clean(root.header("subject") ?? ""), lines);
}

export function messageMetadata(root: MimePart): Metadata {
  const title = clean(root.header("subject") ?? "");
  const author = addressesOf(root, "from");
  const createdAt = dateOf(root.header("date") ?? "");
  const language = /^[A-Za-z]{2,3}(?:-[A-Za-z0-9]+)*/.exec(root.header("content-language") ?? "")?.[0];
  return {
    ...(title !== "" && { title }),
    ...(author !== "" && { authors: [author] }),
    ...(createdAt !== undefined && { createdAt }),
    ...(language !== undefined && { language }),
  };
}

// `Name <address>`, groups taken apart; a header that is no address list stands as it is.
function addressesOf(root: MimePart, name: string): string {
  const raw = root.rawHeaders(name).join(", ");
  if (raw === "") return "";
  const addresses = addressParser(raw.slice(0, maxHeaderLength), { flatten: true });
  const written = addresses.slice(0, maxAddresses).map(({ name: person, address }) => {
    const [who, where] = [clean(person), clean(address ?? "")];
    if (who === "" || who === where) return where || who;
    return where === "" ? who : `${who} <${where}>`;
  });
  const left = addresses.length - maxAddresses;
  if (left > 0) written.push(raw.length > maxHeaderLength ? "and more" : `and ${left} more`);
  return written.filter((text) => text !== "").join(", ") || clean(decodeWords(raw));
}

function clean(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

function dateOf(text: string): string | undefined {
  const date = new Date(text.replace(/\([^()]*\)\s*$/, ""));
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}
