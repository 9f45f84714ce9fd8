import { createSocket } from "node:dgram";
import { isIPv4 } from "node:net";

/** Addresses of one family for a name; `undefined`: the question is never answered. */
export type Zone = (name: string, family: 4 | 6) => readonly string[] | undefined;

export interface DnsFixture extends AsyncDisposable {
  /** `127.0.0.1:port`. */
  readonly server: string;
  /** Names asked for, once for each question. */
  readonly questions: readonly string[];
}

/** A DNS server over UDP (RFC 1035) that answers A and AAAA questions from a function. */
export async function startDnsFixture(zone: Zone): Promise<DnsFixture> {
  const questions: string[] = [];
  const socket = createSocket("udp4");
  socket.on("message", (message, from) => {
    const { name, type } = readQuestion(message);
    questions.push(name);
    const addresses = type === 1 || type === 28 ? zone(name, type === 1 ? 4 : 6) : [];
    if (addresses !== undefined) socket.send(writeAnswer(message, addresses), from.port, from.address);
  });
  await new Promise<void>((resolve) => {
    socket.bind(0, "127.0.0.1", resolve);
  });
  return {
    server: `127.0.0.1:${socket.address().port}`,
    questions,
    [Symbol.asyncDispose]: async () => {
      await new Promise<void>((resolve) => {
        socket.close(resolve);
      });
    },
  };
}

const headerBytes = 12;

function readQuestion(message: Buffer) {
  const labels: string[] = [];
  let at = headerBytes;
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    labels.push(message.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join(".").toLowerCase(), type: message.readUInt16BE(at + 1), endAt: at + 5 };
}

function writeAnswer(message: Buffer, addresses: readonly string[]): Buffer {
  const { endAt } = readQuestion(message);
  const head = Buffer.from(message.subarray(0, endAt));
  head.writeUInt16BE(0x8180, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(addresses.length, 6);
  head.writeUInt32BE(0, 8);
  return Buffer.concat([head, ...addresses.map(writeRecord)]);
}

// The name is a pointer to the question; the answer may be kept for no time at all.
function writeRecord(address: string): Buffer {
  const bytes = isIPv4(address) ? Buffer.from(address.split(".").map(Number)) : ipv6Bytes(address);
  const head = Buffer.from([0xc0, headerBytes, 0, bytes.length === 4 ? 1 : 28, 0, 1, 0, 0, 0, 0, 0, bytes.length]);
  return Buffer.concat([head, bytes]);
}

function ipv6Bytes(address: string): Buffer {
  const host = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [head = "", tail] = host.split("::");
  const groups = (text: string) => (text === "" ? [] : text.split(":").map((group) => Number.parseInt(group, 16)));
  const [first, last] = [groups(head), groups(tail ?? "")];
  const all = [...first, ...Array.from({ length: 8 - first.length - last.length }, () => 0), ...last];
  return Buffer.from(all.flatMap((group) => [group >> 8, group & 255]));
}
