import { BlockList, isIP } from "node:net";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isInRange, parseIpAddress, parseIpRange } from "./ip-address.ts";
import { judgeAddress } from "./judge-address.ts";

const ipv4 = fc.ipV4();
const ipv6 = fc.ipV6();

describe("addresses", () => {
  it("lie in the ranges that Node says they lie in", () => {
    const property = fc.property(fc.oneof(ipv4, ipv6), fc.oneof(ipv4, ipv6), fc.nat(32), (text, network, length) => {
      fc.pre(isIP(text) === isIP(network));
      const list = new BlockList();
      const family = isIP(text) === 4 ? "ipv4" : "ipv6";
      list.addSubnet(network, length, family);
      const [address, range] = [parseIpAddress(text), parseIpRange(`${network}/${length}`)];
      expect(address !== undefined && range !== undefined && isInRange(address, range)).toBe(list.check(text, family));
    });
    fc.assert(property, { numRuns: 2_000 });
  });

  it("get the same verdict in every spelling that a URL may give them", () => {
    const spell = fc.constantFrom<(octets: number[]) => string>(
      (octets) => octets.join("."),
      (octets) => octets.map((octet) => `0x${octet.toString(16)}`).join("."),
      (octets) => octets.map((octet) => `0${octet.toString(8)}`).join("."),
      (octets) => String(octets.reduce((value, octet) => value * 256 + octet, 0)),
      (octets) => `${octets[0]}.${(octets[1] ?? 0) * 65_536 + (octets[2] ?? 0) * 256 + (octets[3] ?? 0)}`,
    );
    const octets = fc.array(fc.nat(255), { minLength: 4, maxLength: 4 });
    const property = fc.property(octets, spell, (parts, toText) => {
      expect(judgeAddress(new URL(`http://${toText(parts)}`).hostname)).toBe(judgeAddress(parts.join(".")));
    });
    fc.assert(property, { numRuns: 2_000 });
  });

  it("are judged without throwing, whatever the text", () => {
    const property = fc.property(fc.string(), (text) => {
      expect(judgeAddress(text)).toSatisfy((verdict) => verdict === undefined || typeof verdict === "string");
    });
    fc.assert(property);
  });
});
