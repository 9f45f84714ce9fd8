import { isIPv4, isIPv6 } from "node:net";

/** An IP address as a number of 32 or 128 bits. */
export interface IpAddress {
  readonly family: 4 | 6;
  readonly value: bigint;
}

/** Addresses that share their first `prefixLength` bits. */
export interface IpRange {
  readonly first: IpAddress;
  readonly prefixLength: number;
}

/**
 * Reads an address in its standard spelling: four decimal numbers, or RFC 4291 text. Other spellings that some systems
 * accept (`0x7f000001`, `127.1`, leading zeros, zone ids) are not addresses here.
 */
export function parseIpAddress(text: string): IpAddress | undefined {
  if (isIPv4(text)) return { family: 4, value: parseIpv4(text) };
  if (isIPv6(text) && !text.includes("%")) return { family: 6, value: parseIpv6(text) };
  return undefined;
}

/** Reads `address/length`, or an address alone as the range of itself. */
export function parseIpRange(text: string): IpRange | undefined {
  const [addressText = "", lengthText, ...rest] = text.split("/");
  const address = parseIpAddress(addressText);
  if (address === undefined || rest.length > 0) return undefined;
  const width = bitWidth(address);
  if (lengthText === undefined) return { first: address, prefixLength: width };
  if (!/^\d{1,3}$/.test(lengthText) || Number(lengthText) > width) return undefined;
  return { first: address, prefixLength: Number(lengthText) };
}

export function isInRange(address: IpAddress, { first, prefixLength }: IpRange): boolean {
  if (address.family !== first.family) return false;
  const shift = BigInt(bitWidth(first) - prefixLength);
  return address.value >> shift === first.value >> shift;
}

/** The IPv4 address inside an IPv4-mapped one (`::ffff:0:0/96`); any other address unchanged. */
export function unmapIpAddress(address: IpAddress): IpAddress {
  const isMapped = address.family === 6 && address.value >> 32n === 0xffffn;
  return isMapped ? { family: 4, value: address.value & 0xffffffffn } : address;
}

function bitWidth({ family }: IpAddress): number {
  return family === 4 ? 32 : 128;
}

function parseIpv4(text: string): bigint {
  return text.split(".").reduce((value, octet) => (value << 8n) | BigInt(octet), 0n);
}

function parseIpv6(text: string): bigint {
  const [head = "", tail] = text.split("::");
  const first = parseGroups(head);
  const last = tail === undefined ? [] : parseGroups(tail);
  const zeros = Array.from({ length: 8 - first.length - last.length }, () => 0n);
  return [...first, ...zeros, ...last].reduce((value, group) => (value << 16n) | group, 0n);
}

// The last group may be written as an IPv4 address, which fills two groups.
function parseGroups(text: string): bigint[] {
  if (text === "") return [];
  return text.split(":").flatMap((group) => {
    if (!group.includes(".")) return [BigInt(`0x${group}`)];
    const value = parseIpv4(group);
    return [value >> 16n, value & 0xffffn];
  });
}
