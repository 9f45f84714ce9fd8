import { AppError } from "@attune/service-kit/app-error.ts";

/**
 * An api_url in its one spelling: without slashes at its end.
 * @throws AppError `MODEL_API_URL_INVALID` naming what is wrong with it.
 */
export function parseApiUrl(text: string): string {
  const url = URL.parse(text);
  const fault = url === null || /[\s\\]/.test(text) ? "It is not a URL." : faultOf(url);
  if (url === null || fault !== undefined) throw new AppError("MODEL_API_URL_INVALID", { detail: fault ?? "" });
  return `${url.origin}${url.pathname.replace(/\/+$/, "")}`;
}

function faultOf({ protocol, username, password, search, hash, pathname, host }: URL): string | undefined {
  if (protocol !== "http:" && protocol !== "https:") return "It begins with neither http:// nor https://.";
  if (host === "") return "It names no host.";
  if (username !== "" || password !== "") return "It holds a user or a password; the key is entered by itself.";
  if (search !== "" || hash !== "") return "It has a query or a fragment.";
  const operation = /\/(chat\/completions|completions|embeddings|models)\/*$/.exec(pathname)?.[1];
  return operation === undefined
    ? undefined
    : `It ends with /${operation}, which belongs to one operation; leave that out.`;
}
