import { type IpAddress, type IpRange, isInRange, parseIpAddress, parseIpRange, unmapIpAddress } from "./ip-address.ts";

/** `undefined` when the address is public and may be reached by anybody; else what it is instead. */
export type AddressVerdict = string | undefined;

/**
 * Judges one address by the special-purpose registries of IANA (RFC 6890) and the metadata addresses of clouds. IPv6 is
 * refused unless it is global unicast (2000::/3) without a special meaning. What only carries an IPv4 address (mapped,
 * NAT64 of RFC 6052) is judged as that address; tunnels (6to4, Teredo, ISATAP) are refused whatever they carry.
 */
export function judgeAddress(text: string): AddressVerdict {
  const address = parseIpAddress(text);
  return address === undefined ? "not an address in its standard spelling" : judgeIpAddress(address);
}

export function judgeIpAddress(address: IpAddress): AddressVerdict {
  const plain = unmapIpAddress(address);
  const special = specialRanges.find(({ range }) => isInRange(plain, range));
  if (special !== undefined) return special.what;
  if (plain.family === 4) return undefined;
  if (isInRange(plain, nat64)) return judgeIpAddress({ family: 4, value: plain.value & 0xffffffffn });
  if (isIsatap(plain)) return "an ISATAP tunnel address";
  return isInRange(plain, globalUnicast) ? undefined : "outside the public IPv6 range";
}

/** Addresses at which a cloud hands credentials to whoever asks from inside. */
export function isMetadataAddress(address: IpAddress): boolean {
  return judgeIpAddress(address) === metadataVerdict;
}

/** Addresses of this machine and of networks that are not public, a carrier's shared range included; no metadata address. */
export function isPrivateAddress(address: IpAddress): boolean {
  return privateVerdicts.has(judgeIpAddress(address) ?? "");
}

const privateVerdicts = new Set(["a private address", "a loopback address", "a shared carrier address"]);
const metadataVerdict = "a cloud metadata address";

const range = (text: string): IpRange => {
  const parsed = parseIpRange(text);
  if (parsed === undefined) throw new TypeError(`not a range: ${text}`);
  return parsed;
};

const metadataRanges = [
  "169.254.169.254", // AWS, Azure, Google Cloud, OpenStack
  "169.254.170.2", // AWS container credentials
  "169.254.170.23", // AWS pod identity
  "fd00:ec2::254", // AWS
  "fd00:ec2::23", // AWS pod identity
  "fd20:ce::254", // Google Cloud
  "100.100.100.200", // Alibaba Cloud
  "168.63.129.16", // Azure, a public address
  "192.0.0.192", // Oracle Cloud
].map(range);

const nat64 = range("64:ff9b::/96");
const globalUnicast = range("2000::/3");

const specialRanges = [
  ...metadataRanges.map((metadata) => ({ range: metadata, what: metadataVerdict })),
  ...Object.entries({
    "0.0.0.0/8": "this host",
    "10.0.0.0/8": "a private address",
    "100.64.0.0/10": "a shared carrier address",
    "127.0.0.0/8": "a loopback address",
    "169.254.0.0/16": "a link-local address",
    "172.16.0.0/12": "a private address",
    "192.0.0.0/24": "an IETF protocol address",
    "192.0.2.0/24": "a documentation address",
    "192.88.99.0/24": "a 6to4 relay address",
    "192.168.0.0/16": "a private address",
    "198.18.0.0/15": "a benchmarking address",
    "198.51.100.0/24": "a documentation address",
    "203.0.113.0/24": "a documentation address",
    "224.0.0.0/4": "a multicast address",
    "240.0.0.0/4": "a reserved address",
    "::1/128": "a loopback address",
    "::/96": "this host or an IPv4-compatible address",
    "64:ff9b:1::/48": "a local NAT64 address",
    "2001::/23": "an IETF protocol or Teredo address",
    "2001:db8::/32": "a documentation address",
    "2002::/16": "a 6to4 tunnel address",
    "3fff::/20": "a documentation address",
    "fc00::/7": "a private address",
    "fe80::/10": "a link-local address",
    "fec0::/10": "a site-local address",
    "ff00::/8": "a multicast address",
  }).map(([text, what]) => ({ range: range(text), what })),
];

// RFC 5214: an interface id of 0000:5efe or 0200:5efe, then the IPv4 address of the tunnel's end.
function isIsatap({ value }: IpAddress): boolean {
  const id = (value >> 32n) & 0xffffffffn;
  return id === 0x00005efen || id === 0x02005efen;
}
