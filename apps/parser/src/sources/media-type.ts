/** The parts of a Content-Type value that say what a file is. */
export interface MediaType {
  /** Lower case, without parameters. */
  readonly mediaType?: string;
  /** Lower case, as declared. */
  readonly charset?: string;
}

const token = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const essence = new RegExp(`^\\s*(${token}/${token})\\s*(?:;|$)`);
const charsetParameter = new RegExp(`;\\s*charset\\s*=\\s*(?:"([^"\\\\]*)"|(${token}))`, "i");

/** Reads a media type with its charset (RFC 9110 §8.3); what is malformed is left out. */
export function parseMediaType(text: string): MediaType {
  const mediaType = essence.exec(text)?.[1]?.toLowerCase();
  const match = charsetParameter.exec(text);
  const charset = (match?.[1] ?? match?.[2])?.trim().toLowerCase();
  return { ...(mediaType !== undefined && { mediaType }), ...(charset && { charset }) };
}
