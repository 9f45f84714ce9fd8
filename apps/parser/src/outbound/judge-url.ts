import { AppError } from "@attune/service-kit/app-error.ts";
import type { AllowList } from "./allow-list.ts";
import { parseIpAddress } from "@attune/service-kit/addresses/ip-address.ts";
import { judgeIpAddress } from "@attune/service-kit/addresses/judge-address.ts";
import { judgeName, toComparableName } from "./judge-name.ts";

export const maxUrlLength = 4096;

/**
 * Judges the text of an http or https URL before anything is sent or resolved: its characters first, because parsers
 * disagree about tabs, line breaks and backslashes, then the parsed parts.
 * @throws AppError `FILE_URL_INVALID` for what is not such a URL, `FETCH_REFUSED` for a host or port that is not open.
 */
export function judgeUrl(text: string, allowList: AllowList): URL {
  const url = parseHttpUrl(text);
  judgePort(url, allowList);
  judgeHost(url, allowList);
  return url;
}

/** The checks that need no policy. @throws AppError `FILE_URL_INVALID` */
export function parseHttpUrl(text: string): URL {
  if (text.length > maxUrlLength) throw invalid(`It is longer than ${maxUrlLength} characters.`);
  if (/\p{Cc}/u.test(text)) throw invalid("It has control characters.");
  if (/[\s\ufeff]/.test(text)) throw invalid("It has spaces; write them as %20.");
  if (text.includes("\\")) throw invalid("It has a backslash.");
  const url = URL.parse(text);
  if (url === null || !/^https?:\/\/[^/]/i.test(text)) throw invalid("It is not a complete http or https URL.");
  if (url.username !== "" || url.password !== "" || /^https?:\/\/[^/?#]*@/i.test(text)) {
    throw invalid("It has a user name or password before the host, which this service does not send.");
  }
  return url;
}

/** The port of a URL, also when it is the default one. */
export function portOf(url: URL): number {
  if (url.port !== "") return Number(url.port);
  return url.protocol === "https:" ? 443 : 80;
}

/** The host of a URL without brackets and without the dot of the root. */
export function hostOf(url: URL): string {
  const host = toComparableName(url.hostname);
  return host.startsWith("[") ? host.slice(1, -1) : host;
}

function judgePort(url: URL, allowList: AllowList): void {
  const port = portOf(url);
  const isWeb = port === 80 || port === 443;
  const isOpen = isWeb || (port >= 1024 && !servicePorts.has(port));
  if (isOpen || allowList.allowsPort(hostOf(url), port)) return;
  throw new AppError("FETCH_REFUSED", {
    detail: `Port ${port} is not one of the web; the operator can open it with host:port in PARSER_ALLOWED_HOSTS.`,
  });
}

function judgeHost(url: URL, allowList: AllowList): void {
  const host = hostOf(url);
  const address = parseIpAddress(host);
  if (address !== undefined) {
    if (allowList.allowsAddress(address, portOf(url)) || judgeIpAddress(address) === undefined) return;
    throw refuseHost();
  }
  if (allowList.allowsName(host, portOf(url)) || judgeName(host) === undefined) return;
  throw refuseHost();
}

/** The same words for every host that is not open, so that nothing about it can be learned from them. */
export function refuseHost(cause?: unknown): AppError {
  const detail = "Its host is not on the public internet; the operator can open it in PARSER_ALLOWED_HOSTS.";
  return new AppError("FETCH_REFUSED", { detail }, cause);
}

function invalid(detail: string): AppError {
  return new AppError("FILE_URL_INVALID", { detail });
}

// Ports above 1023 at which well-known services listen that an HTTP request could harm or reveal; the blocked ports of the
// Fetch standard, and those of data stores, queues and cluster management.
const servicePorts = new Set([
  1080, 1099, 1433, 1521, 1719, 1720, 1723, 1883, 2049, 2181, 2375, 2376, 2379, 2380, 3128, 3306, 3389, 3659, 4045,
  4190, 4369, 5060, 5061, 5432, 5433, 5672, 5671, 5900, 5984, 5985, 5986, 6000, 6379, 6380, 6432, 6443, 6566, 6665,
  6666, 6667, 6668, 6669, 6679, 6697, 7000, 7001, 7199, 8125, 8500, 8600, 9042, 9092, 9160, 9200, 9300, 10_080, 10_250,
  10_255, 10_256, 11_211, 11_214, 11_215, 15_672, 16_379, 25_672, 26_379, 26_257, 27_017, 27_018, 27_019, 28_017,
  50_070,
]);
