import { AppError } from "@attune/service-kit/app-error.ts";
import { type MimePart, parseMime } from "../../containers/mime.ts";
import type { ReadDocument } from "../reader.ts";

/** Reads the main page of a saved web page; other pages inside it (frames) are named in a warning. */
export const readMhtml: ReadDocument = async (input, context) => {
  const root = parseMime(input.bytes, context.budget);
  const pages = leavesOf(root).filter(({ mediaType }) => /^(?:text\/html|application\/xhtml\+xml)$/.test(mediaType));
  const main = startPart(root, pages) ?? pages[0];
  if (main === undefined) throw new AppError("DOCUMENT_CORRUPT", { detail: "It has no HTML page inside." });
  if (pages.length > 1) {
    context.warn(`${pages.length - 1} further pages inside the file (frames, advertisements) were left out.`);
  }
  const charset = main.parameters.get("charset");
  const document = await context.readPart({
    bytes: main.decode(),
    fileName: input.fileName,
    format: main.mediaType === "text/html" ? "html" : "xhtml",
    isOwnText: true,
    ...(charset !== undefined && { charset }),
  });
  const title = root.header("subject")?.trim();
  const hasTitle = document.metadata.title !== undefined || title === undefined || title === "";
  return hasTitle ? document : { ...document, metadata: { ...document.metadata, title } };
};

// RFC 2387: the parameter `start` of multipart/related is the Content-ID of its root.
function startPart(root: MimePart, pages: readonly MimePart[]): MimePart | undefined {
  const start = root.parameters.get("start")?.trim();
  return start === undefined ? undefined : pages.find((page) => page.header("content-id")?.trim() === start);
}

function leavesOf(part: MimePart): MimePart[] {
  return part.parts.length === 0 ? [part] : part.parts.flatMap(leavesOf);
}
