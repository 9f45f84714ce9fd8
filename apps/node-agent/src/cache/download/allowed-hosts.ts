import {
  type IpAddress,
  type IpRange,
  isInRange,
  parseIpAddress,
  parseIpRange,
  unmapIpAddress,
} from "@attune/service-kit/addresses/ip-address.ts";
import { isMetadataAddress, judgeIpAddress } from "@attune/service-kit/addresses/judge-address.ts";

/** Where sources may lie: on the public internet, and where the operator opened. */
export interface AllowedHosts {
  /** What forbids an address that a host has; undefined: it may be reached. */
  judgeAddress(address: string, host: string, port: number): string | undefined;
  /** What forbids a port; undefined: it may be reached. */
  judgePort(host: string, port: number): string | undefined;
}

interface Rule {
  /** Lower case; a leading `.` stands for any name below it. */
  readonly name?: string;
  readonly range?: IpRange;
  readonly port?: number;
}

/**
 * Reads entries as `CacheSettings.allowedHosts` documents them. Addresses at which clouds hand out credentials are opened by
 * an entry that is exactly that address, by nothing else.
 * @throws TypeError naming the first entry that is none of them.
 */
export function parseAllowedHosts(entries: readonly string[]): AllowedHosts {
  const rules = entries.map(parseRule);
  const opens = (port: number, covers: (rule: Rule) => boolean): boolean =>
    rules.some((rule) => (rule.port === undefined || rule.port === port) && covers(rule));
  return {
    judgeAddress: (text, host, port) => {
      const address = parseIpAddress(text);
      if (address === undefined) return "no address in its standard spelling";
      const verdict = judgeIpAddress(address);
      if (verdict === undefined || opens(port, (rule) => coversAddress(rule, address))) return undefined;
      const isNamed = !isMetadataAddress(address) && opens(port, (rule) => coversName(rule, host));
      return isNamed ? undefined : verdict;
    },
    judgePort: (host, port) => {
      if (port === 80 || port === 443 || port >= 1024) return undefined;
      const address = parseIpAddress(host);
      const isOpen = rules.some(
        (rule) => rule.port === port && (address === undefined ? coversName(rule, host) : coversAddress(rule, address)),
      );
      return isOpen ? undefined : `port ${port}, which is none of the web`;
    },
  };
}

function coversName({ name }: Rule, host: string): boolean {
  if (name === undefined) return false;
  return name.startsWith(".") ? host.endsWith(name) && host.length > name.length : host === name;
}

function coversAddress({ range }: Rule, address: IpAddress): boolean {
  if (range === undefined) return false;
  const plain = unmapIpAddress(address);
  const isExact = range.prefixLength === (range.first.family === 4 ? 32 : 128);
  return isInRange(plain, range) && (!isMetadataAddress(plain) || isExact);
}

function parseRule(entry: string): Rule {
  const text = entry.trim().toLowerCase();
  const bare = parseIpRange(text);
  if (bare !== undefined) return { range: bare };
  const match = /^(?:\[(?<bracketed>[^\]]+)\](?<length>\/\d+)?|(?<plain>[^:[\]]+))(?::(?<port>\d{1,5}))?$/.exec(text);
  const { bracketed, length = "", plain = "", port } = match?.groups ?? {};
  const target = toTarget(bracketed === undefined ? plain : bracketed + length);
  if (target === undefined || Number(port ?? 0) > 65_535) throw new TypeError(`not an allowed host: ${entry}`);
  return { ...target, ...(port !== undefined && { port: Number(port) }) };
}

function toTarget(text: string): Rule | undefined {
  const range = parseIpRange(text);
  if (range !== undefined) return { range };
  const isName = /^(?:\*\.)?[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?$/.test(text) && !text.includes("..");
  return isName && !/^[\d.]+$/.test(text) ? { name: text.replace(/^\*/, "") } : undefined;
}
