import {
  type IpAddress,
  type IpRange,
  isInRange,
  parseIpAddress,
  parseIpRange,
  unmapIpAddress,
} from "@attune/service-kit/addresses/ip-address.ts";
import { isMetadataAddress } from "@attune/service-kit/addresses/judge-address.ts";

/** The private targets that the operator opened. */
export interface AllowList {
  /** Whether an entry names this host, so that any of its addresses but a metadata one may be reached. */
  allowsName(name: string, port: number): boolean;
  /** Whether an entry covers this address. */
  allowsAddress(address: IpAddress, port: number): boolean;
  /** Whether an entry opens exactly this port on this host, even one that is refused otherwise. */
  allowsPort(host: string, port: number): boolean;
}

/**
 * Reads entries as `OutboundSettings.allowedHosts` documents them.
 * @throws TypeError naming the first entry that is none of them.
 */
export function parseAllowList(entries: readonly string[]): AllowList {
  const rules = entries.map(parseRule);
  const matches = (port: number) => (rule: Rule) => rule.port === undefined || rule.port === port;
  const coversName = (name: string) => (rule: Rule) => rule.name !== undefined && isNameCovered(name, rule.name);
  const coversAddress = (address: IpAddress) => {
    const plain = unmapIpAddress(address);
    const isExact = (range: IpRange) => range.prefixLength === (range.first.family === 4 ? 32 : 128);
    const mustBeExact = isMetadataAddress(plain);
    return ({ range }: Rule) => range !== undefined && isInRange(plain, range) && (!mustBeExact || isExact(range));
  };
  return {
    allowsName: (name, port) => rules.filter(matches(port)).some(coversName(name)),
    allowsAddress: (address, port) => rules.filter(matches(port)).some(coversAddress(address)),
    allowsPort: (host, port) => {
      const address = parseIpAddress(host);
      const covers = address === undefined ? coversName(host) : coversAddress(address);
      return rules.filter((rule) => rule.port === port).some(covers);
    },
  };
}

interface Rule {
  /** Lower case; a leading `.` stands for any name below it. */
  readonly name?: string;
  readonly range?: IpRange;
  readonly port?: number;
}

function parseRule(entry: string): Rule {
  const text = entry.trim().toLowerCase();
  const bare = parseIpRange(text);
  if (bare !== undefined) return { range: bare };
  const match = /^(?:\[(?<bracketed>[^\]]+)\](?<length>\/\d+)?|(?<plain>[^:[\]]+))(?::(?<port>\d{1,5}))?$/.exec(text);
  const { bracketed, length = "", plain, port } = match?.groups ?? {};
  const target = toTarget(bracketed === undefined ? (plain ?? "") : bracketed + length);
  if (target === undefined || Number(port ?? 0) > 65_535) throw new TypeError(`not an allowed host: ${entry}`);
  return { ...target, ...(port !== undefined && { port: Number(port) }) };
}

function toTarget(text: string): Rule | undefined {
  const range = parseIpRange(text);
  if (range !== undefined) return { range };
  const isName = /^(?:\*\.)?[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?)*$/.test(text);
  const looksNumeric = /^[\d.]+$/.test(text);
  return isName && !looksNumeric ? { name: text.replace(/^\*/, "") } : undefined;
}

function isNameCovered(name: string, pattern: string): boolean {
  return pattern.startsWith(".") ? name.endsWith(pattern) && name.length > pattern.length : name === pattern;
}
