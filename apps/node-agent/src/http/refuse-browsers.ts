import type { IncomingHttpHeaders } from "node:http";
import { isIP } from "node:net";
import { AppError } from "@attune/service-kit/app-error.ts";

/**
 * Keeps pages in a browser of this machine from the node. A page of another site says so in Origin or Sec-Fetch-Site. A page
 * whose name was made to point here (DNS rebinding) says its own name in Host, which matters where no token protects the
 * node: then only addresses and localhost are taken.
 * @throws AppError NODE_ORIGIN_REFUSED, NODE_HOST_REFUSED
 */
export function refuseBrowsers(headers: IncomingHttpHeaders, hasToken: boolean): void {
  const { origin, host = "" } = headers;
  const site = headers["sec-fetch-site"];
  if (origin !== undefined && !isOwnOrigin(origin, host)) throw new AppError("NODE_ORIGIN_REFUSED");
  if (site !== undefined && site !== "same-origin" && site !== "none") throw new AppError("NODE_ORIGIN_REFUSED");
  if (!hasToken && !isAddress(host)) throw new AppError("NODE_HOST_REFUSED");
}

const isOwnOrigin = (origin: string, host: string): boolean => URL.parse(origin)?.host === host.toLowerCase();

/** Whether it is an IP address or localhost, with or without a port; HTTP/1.0 sends no Host, and no browser speaks it. */
function isAddress(host: string): boolean {
  if (host === "") return true;
  const name = host.replace(/:\d*$/, "").toLowerCase();
  const bare = name.startsWith("[") && name.endsWith("]") ? name.slice(1, -1) : name;
  return bare === "localhost" || isIP(bare) !== 0;
}
