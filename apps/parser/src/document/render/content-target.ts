import type { ImageContent } from "../document.ts";

/** The address to show for a picture: its bytes where they are attached, its reference otherwise, or nothing. */
export function contentTarget({ data, reference }: ImageContent): string {
  if (data === undefined) return reference ?? "";
  const mediaType = /^[a-z]+\/[a-z0-9.+-]+$/i.test(data.mediaType) ? data.mediaType : "application/octet-stream";
  return `data:${mediaType};base64,${Buffer.from(data.bytes).toString("base64")}`;
}
