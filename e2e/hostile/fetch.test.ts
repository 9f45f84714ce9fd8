import { linkSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { gzipFlood } from "@attune/testkit/hostile/floods.ts";
import { findClosedPort, type HttpFixture, startHttpFixture } from "@attune/testkit/http-fixture.ts";
import type { StartedDocparser } from "@attune/testkit/start-docparser.ts";
import { execFileSync } from "node:child_process";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Expectation, type HostileRequest, testHostileFamily } from "./hostile-family.ts";

// 127.0.0.2 stands for the public internet and is opened, port by port; on 127.0.0.1, at the same port, lies what must never
// be reached.
let publicServer: HttpFixture;
let internalServer: HttpFixture;
let closedPort: number;
const secret = "the secret of the internal server";

beforeAll(async () => {
  publicServer = await startHttpFixture(answer, { host: "127.0.0.2" });
  internalServer = await startHttpFixture((_request, response) => response.end(secret), { port: publicServer.port });
  closedPort = await findClosedPort();
});

afterAll(async () => {
  await publicServer[Symbol.asyncDispose]();
  await internalServer[Symbol.asyncDispose]();
});

function answer(request: IncomingMessage, response: ServerResponse): void {
  const [path = "", query = ""] = (request.url ?? "").split("?");
  const act = answers[path];
  if (act === undefined) response.writeHead(404).end();
  else act(response, decodeURIComponent(query));
}

const answers: Readonly<Record<string, (response: ServerResponse, query: string) => void>> = {
  "/to": (response, location) => void response.writeHead(302, { location }).end(),
  "/to307": (response, location) => void response.writeHead(307, { location }).end(),
  "/loop": (response) => void response.writeHead(302, { location: "/loop" }).end(),
  "/two": (response) => raw(response, "HTTP/1.1 302 Found\r\nLocation: /fine\r\nLocation: http://127.0.0.1:1/\r\n\r\n"),
  "/fine": (response) => void response.end("Hello world."),
  "/empty": (response) => void response.end(),
  "/forbidden": (response) => void response.writeHead(403).end("no"),
  "/name": (response) =>
    void response
      .writeHead(200, { "content-disposition": `attachment; filename="../../../etc/passwd.txt"` })
      .end("Hello world."),
  "/endless": (response) => pour(response, Buffer.alloc(1 << 18, "x")),
  "/huge": (response) => void response.writeHead(200, { "content-length": String(99e12) }).write("x"),
  "/short": (response) => raw(response, "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nHello"),
  "/gzip": (response) => void response.writeHead(200, { "content-encoding": "gzip" }).end(gzipFlood(64)),
  "/drip": (response) => drip(response),
  "/silent": () => undefined,
  "/headers": (response) =>
    raw(response, `HTTP/1.1 200 OK\r\n${"X-Header: value of a header\r\n".repeat(4000)}\r\nHello`),
  "/early": (response) => raw(response, "HTTP/1.1 103 Early Hints\r\n\r\n".repeat(20_000)),
  "/garbage": (response) => raw(response, "\0\0\0 this is no HTTP \r\n\r\n"),
};

function raw(response: ServerResponse, text: string): void {
  response.socket?.end(text);
}

function pour(response: ServerResponse, chunk: Buffer): void {
  const write = (): void => {
    while (!response.destroyed && response.write(chunk));
    response.once("drain", write);
  };
  response.on("error", () => {});
  write();
}

function drip(response: ServerResponse): void {
  const timer = setInterval(() => response.write("x"), 200);
  response.once("close", () => clearInterval(timer));
}

const isRead: Expectation = { readBecause: "the address is open", content: /Hello world/ };
type Row = readonly [id: string, what: string, address: (folder: string) => string, expected: Expectation];
const at = (path: string) => () => `${publicServer.origin}${path}`;
const internal = (host: string) => () => `http://${host}:${internalServer.port}/`;
const redirect = (target: () => string) => () => `${publicServer.origin}/to?${encodeURIComponent(target())}`;

const hosts: readonly (readonly [id: string, host: string])[] = [
  ["S1", "127.0.0.1"],
  ["S2", "2130706433"],
  ["S3", "0x7f000001"],
  ["S4", "0177.0.0.1"],
  ["S5", "127.1"],
  ["S6", "0"],
  ["S7", "[::1]"],
  ["S8", "[::ffff:127.0.0.1]"],
  ["S9", "[::127.0.0.1]"],
  ["S10", "[64:ff9b::7f00:1]"],
  ["S11", "[2002:7f00:1::]"],
  ["S12", "[2001::1]"],
  ["S13", "[fe80::1]"],
  ["S14", "[fec0::1]"],
  ["S16", "[::5efe:10.0.0.1]"],
  ["S17", "169.254.169.254"],
  ["S17b", "[fd00:ec2::254]"],
  ["S17c", "100.100.100.200"],
  ["S17d", "168.63.129.16"],
  ["S17e", "metadata.google.internal"],
  ["S18", "①②⑦.⓪.⓪.①"],
  ["S19", "127。0。0。1"],
  ["S20", "localhost"],
  ["S20b", "localhost."],
  ["S20c", "a.localhost"],
];

const addresses: Row[] = [
  ...hosts.map(([id, host]): Row => [id, `the host ${host}`, internal(host), "FETCH_REFUSED"]),
  ["S15", "an address with a zone", internal("[fe80::1%25eth0]"), "FILE_URL_INVALID"],
  ["S21", "the scheme in upper case", () => internal("127.0.0.1")().replace("http", "HTTP"), "FETCH_REFUSED"],
  ["S22", "a tab inside the scheme", () => internal("127.0.0.1")().replace("http", "ht\ttp"), "FILE_URL_INVALID"],
  [
    "S23",
    "a backslash before the host",
    () => `http://example.org\\@127.0.0.1:${internalServer.port}/`,
    "FILE_URL_INVALID",
  ],
  ["S24", "a name before the host", () => `http://example.org@127.0.0.1:${internalServer.port}/`, "FILE_URL_INVALID"],
  ...["ftp", "gopher", "javascript", "blob", "jar"].map((scheme): Row => [
    `S25-${scheme}`,
    `the scheme ${scheme}`,
    () => `${scheme}://example.org/`,
    "FILE_URL_INVALID",
  ]),
  ...[22, 25, 6379].map((port): Row => [
    `S26-${port}`,
    `port ${port}`,
    () => `http://example.org:${port}/`,
    "FETCH_REFUSED",
  ]),
  ["S54", "an address of 5,000 characters", () => `http://example.org/${"x".repeat(5000)}`, "FILE_URL_INVALID"],
  ["S55", "a closed port of a host that is not open", () => `http://127.0.0.1:${closedPort}/`, "FETCH_REFUSED"],
];

const answersOfServers: Row[] = [
  ["S0", "an honest server", at("/fine"), isRead],
  ["S32", "a redirect to a private address", redirect(internal("127.0.0.1")), "FETCH_REFUSED"],
  ["S33", "a redirect to a private name", redirect(internal("localhost")), "FETCH_REFUSED"],
  ["S35", "a redirect to a file", redirect(() => "file:///etc/passwd"), "FETCH_REFUSED"],
  ["S36", "a redirect without a scheme", redirect(() => `//127.0.0.1:${internalServer.port}/`), "FETCH_REFUSED"],
  [
    "S37",
    "a redirect with a name before the host",
    redirect(() => `http://a@127.0.0.1:${internalServer.port}/`),
    "FETCH_REFUSED",
  ],
  ["S38", "a redirect to itself", at("/loop"), "FETCH_FAILED"],
  ["S40", "two places to go to", at("/two"), "FETCH_FAILED"],
  [
    "S41",
    "a redirect that keeps the method",
    () => `${publicServer.origin}/to307?${encodeURIComponent(internal("127.0.0.1")())}`,
    "FETCH_REFUSED",
  ],
  ["S43", "a body without end", at("/endless"), "FILE_TOO_LARGE"],
  ["S44", "a length of 99 TB", at("/huge"), "FILE_TOO_LARGE"],
  ["S45", "a body that is cut off", at("/short"), "FETCH_FAILED"],
  ["S46", "a gzip bomb nobody asked for", at("/gzip"), "FETCH_FAILED"],
  ["S47", "five bytes a second", at("/drip"), "FETCH_TIMEOUT"],
  ["S48", "no answer", at("/silent"), "FETCH_TIMEOUT"],
  ["S49", "110 KB of headers", at("/headers"), "FETCH_FAILED"],
  ["S50", "20,000 early answers", at("/early"), "FETCH_FAILED"],
  ["S51", "TLS where there is none", () => at("/fine")().replace("http:", "https:"), "FETCH_FAILED"],
  ["S56", "no HTTP at all", at("/garbage"), "FETCH_FAILED"],
  ["S57", "a file that is not there", at("/nothing"), "FILE_NOT_FOUND"],
  ["S58", "a file that is forbidden", at("/forbidden"), "FETCH_DENIED"],
  ["S59", "no bytes", at("/empty"), "FILE_EMPTY"],
  ["S60", "a name that is a path", at("/name"), isRead],
];

function made(folder: string, name: string, make: (path: string) => void): string {
  const path = join(folder, name);
  make(path);
  return `file://${path}`;
}

const files: Row[] = [
  ["F1", "..", (folder) => `file://${folder}/../../etc/passwd`, "FETCH_REFUSED"],
  ["F2", "%2e%2e", (folder) => `file://${folder}/%2e%2e/%2e%2e/etc/passwd`, "FETCH_REFUSED"],
  ["F3", "%2f", (folder) => `file://${folder}/..%2f..%2fetc%2fpasswd`, "FILE_URL_INVALID"],
  [
    "F4",
    "a symbolic link",
    (folder) => made(folder, "f4.txt", (path) => symlinkSync("/etc/passwd", path)),
    "FETCH_REFUSED",
  ],
  [
    "F5",
    "a folder that is a symbolic link",
    (folder) => `${made(folder, "f5", (path) => symlinkSync("/etc", path))}/passwd`,
    "FETCH_REFUSED",
  ],
  [
    "F6",
    "a hard link",
    (folder) =>
      made(folder, "f6.txt", (path) => {
        writeFileSync(`${path}.other`, "Hello world.");
        linkSync(`${path}.other`, path);
      }),
    "FETCH_REFUSED",
  ],
  [
    "F7",
    "a FIFO that nobody writes to",
    (folder) => made(folder, "f7.txt", (path) => execFileSync("mkfifo", [path])),
    "FETCH_REFUSED",
  ],
  ["F8", "/dev/zero", () => "file:///dev/zero", "FETCH_REFUSED"],
  ["F9", "a folder", (folder) => made(folder, "f9", (path) => mkdirSync(path)), "FETCH_REFUSED"],
  [
    "F10",
    "a folder whose name begins like the one allowed",
    (folder) => `file://${folder}-evil/a.txt`,
    "FETCH_REFUSED",
  ],
  ["F11", "a host", (folder) => `file://example.org${folder}/a.txt`, "FILE_URL_INVALID"],
  ["F12", "the environment of the service", () => "file:///proc/self/environ", "FETCH_REFUSED"],
  ["F13", "NUL", (folder) => `file://${folder}/a.txt%00.pdf`, "FILE_URL_INVALID"],
  [
    "F14",
    "a name in another script",
    (folder) => encodeURI(made(folder, "報告.txt", (path) => writeFileSync(path, "Hello world."))),
    isRead,
  ],
  ["F16", "a bucket that is not open", () => "s3://private/key", "FETCH_REFUSED"],
  ["F17", "a key with ../", () => "s3://private/../key", "FETCH_REFUSED"],
  ["F18", "an endpoint in an S3 address", () => "s3://key:secret@127.0.0.1:9000/bucket/key", "FILE_URL_INVALID"],
  ["F21", "no address", () => "", "FILE_URL_INVALID"],
  ["F22", "an address that is no URL", () => "hello", "FILE_URL_INVALID"],
  ["F23", "a data URL cut off", () => "data:application/pdf;base64,@@@", "FILE_URL_INVALID"],
];

const environment = (): Record<string, string> => ({
  PARSER_ALLOWED_HOSTS: `127.0.0.2:${publicServer.port}`,
  PARSER_MAX_FILE_MIB: "8",
  HTTP_PROXY: `http://127.0.0.1:${internalServer.port}`,
  http_proxy: `http://127.0.0.1:${internalServer.port}`,
});

const cases = [...addresses, ...answersOfServers, ...files].map(([id, what, address, expected]): HostileRequest => ({
  id,
  what,
  expected,
  request: ({ folder }: StartedDocparser) => ({ file_url: address(folder) }),
}));
const rows = testHostileFamily({ family: "addresses and servers", environment }, cases);

test("the internal server was never reached, not even as a proxy", () => {
  expect(internalServer.connectionCount).toBe(0);
});

test("a closed port, an open port and a cloud's metadata are refused in the same words", () => {
  const messages = ["S1", "S17", "S20", "S33", "S55"].map((id) => rows.find((row) => row.id === id)?.message);
  expect(new Set(messages).size).toBe(1);
});
