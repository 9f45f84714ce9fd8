import { describe, expect, it } from "vitest";
import { parseIpAddress } from "./ip-address.ts";
import { isMetadataAddress, judgeAddress } from "./judge-address.ts";

const refused = [
  ..."0.0.0.0 0.1.2.3 10.0.0.0 10.255.255.255 100.64.0.0 100.127.255.255 127.0.0.1 127.255.255.255".split(" "),
  ..."169.254.0.1 169.254.169.254 169.254.170.2 172.16.0.1 172.31.255.255 192.0.0.1 192.0.0.192 192.0.2.1".split(" "),
  ..."192.88.99.1 192.168.0.1 192.168.255.255 198.18.0.1 198.19.255.255 198.51.100.7 203.0.113.9".split(" "),
  ..."224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255 100.100.100.200 168.63.129.16".split(" "),
  // IPv6: this host, compatible, local, multicast, unallocated.
  ..."::1 :: ::127.0.0.1 ::8.8.8.8 fe80::1 febf::1 fec0::1 fc00::1 fd00:ec2::254 ff02::1 4000::1 5f00::1 100::1".split(
    " ",
  ),
  // Documentation, protocol assignments, tunnels.
  ..."2001:db8::1 3fff::1 2001::1 2001:0:808:808:: 2001:2::1 2001:10::1 2002:7f00:1:: 2002:808:808::1".split(" "),
  // An IPv4 address inside: mapped, NAT64, its local prefix, ISATAP.
  ..."::ffff:127.0.0.1 ::ffff:7f00:1 ::ffff:169.254.169.254 ::ffff:0:127.0.0.1 64:ff9b::7f00:1 64:ff9b::10.0.0.1".split(
    " ",
  ),
  ..."64:ff9b:1::808:808 ::5efe:10.0.0.1 2a00:1450::5efe:10.0.0.1 2a00:1450::200:5efe:8.8.8.8".split(" "),
  // Other spellings, zones, nothing.
  ..."2130706433 0x7f000001 0177.0.0.1 127.1 0 127.0.0.1. fe80::1%eth0 2a00:1450::1%eth0 localhost 8.8.8 [::1]".split(
    " ",
  ),
  "",
  " 8.8.8.8",
];

const allowed = [
  ..."1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.1".split(" "),
  ..."169.253.255.255 172.15.255.255 172.32.0.0 191.255.255.255 192.0.1.0 192.167.255.255 192.169.0.0".split(" "),
  ..."198.17.255.255 198.20.0.0 223.255.255.255 168.63.129.15 2606:4700:4700::1111 2a00:1450:4001::200e".split(" "),
  ..."2001:4860:4860::8888 2400:cb00::1 ::ffff:8.8.8.8 64:ff9b::808:808".split(" "),
];

describe("judgeAddress", () => {
  it.each(refused)("refuses %j", (address) => {
    expect(judgeAddress(address)).toBeTypeOf("string");
  });

  it.each(allowed)("lets %s pass", (address) => {
    expect(judgeAddress(address)).toBeUndefined();
  });
});

describe("isMetadataAddress", () => {
  it.each([
    "169.254.169.254",
    "fd00:ec2::254",
    "100.100.100.200",
    "168.63.129.16",
    "::ffff:a9fe:a9fe",
    "64:ff9b::a9fe:a9fe",
  ])("knows %s", (text) => {
    const address = parseIpAddress(text);
    expect(address !== undefined && isMetadataAddress(address)).toBe(true);
  });
});
