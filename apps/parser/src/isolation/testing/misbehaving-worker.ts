/** A worker for tests: instead of reading its document, it does what the document says. */
import { writeSync } from "node:fs";
import { deflateSync, inflateSync } from "node:zlib";
import { AppError } from "@attune/service-kit/app-error.ts";
import { type JobMessage, textPieceBytes } from "../messages.ts";
import type { RemoteRecogniser } from "../../ocr/create-page-recogniser.ts";
import { createRemoteFile } from "../remote-file.ts";
import { createRemoteRecogniser } from "../remote-recogniser.ts";
import { type JobChannel, type JobResult, serveJobs } from "../serve-jobs.ts";

const channelDescriptor = 3;
const mib = 1 << 20;
const kept: unknown[] = [];
// Node has it; the types of Node have not.
const { WebAssembly } = globalThis as unknown as { WebAssembly: { Memory: new (size: { initial: number }) => object } };

type Act = (argument: string, bytes: Uint8Array, remote: RemoteRecogniser) => Promise<Uint8Array> | Uint8Array;

const actions: Record<string, Act> = {
  echo: (argument) => Buffer.from(argument),
  pid: () => Buffer.from(String(process.pid)),
  sum: (_, bytes) => Buffer.from(String(bytes.reduce((sum, byte) => (sum + byte) % 65_521, 0))),
  output: (argument) => Buffer.alloc(Number(argument), "x"),
  sleep: async (argument) => {
    await new Promise((resolve) => setTimeout(resolve, Number(argument)));
    return Buffer.from("slept");
  },
  keep: (argument) => {
    kept.push(Buffer.alloc(Number(argument) * mib, 1));
    return Buffer.from("kept");
  },
  loop: () => {
    for (;;) kept.length = 0;
  },
  never: () => new Promise(() => undefined),
  exit: (argument) => process.exit(Number(argument)),
  abort: () => process.abort(),
  stray: () => {
    setTimeout(() => {
      throw new Error("stray");
    }, 0);
    return new Promise((resolve) => setTimeout(() => resolve(Buffer.from("too late")), 1000));
  },
  throw: (argument) => {
    throw new Error(argument);
  },
  refuse: (argument) => {
    throw new AppError("PASSWORD_REQUIRED", { detail: argument });
  },
  buffers: () => {
    for (;;) kept.push(Buffer.alloc(16 * mib, 1));
  },
  heap: () => {
    for (;;) kept.push(Array.from({ length: 10_000 }, (_, index) => ({ index })));
  },
  strings: () => {
    let text = "x".repeat(1000);
    for (;;) kept.push((text += text).split(""));
  },
  pages: () => {
    for (;;) kept.push(new WebAssembly.Memory({ initial: 256 }));
  },
  inflate: () => {
    const packed = deflateSync(Buffer.alloc(256 * mib));
    for (;;) kept.push(inflateSync(packed));
  },
  replace: () => Buffer.from("a".repeat(50_000_000).replaceAll(/a/g, "$&$&")),
  external: () => {
    for (;;) kept.push(Buffer.alloc(16 * mib, "é").toString("latin1"));
  },
  garbage: () => say(Buffer.from("GET / HTTP/1.1\r\nhost: parser\r\n\r\n")),
  giant: () => say(Buffer.from([2, 0, 0, 0, 0xff, 0xff, 0xff, 0xff])),
  unasked: () => Buffer.concat([say(frame({ kind: "ready", jobId: 0, rssBytes: 1 })), Buffer.from("and more")]),
  lie: () => say(frame({ kind: "failure", jobId: 1, reason: "QUEUE_FULL", diagnostic: "", rssBytes: 1 })),
  languages: (_argument, _bytes, remote) => Buffer.from(JSON.stringify(remote.listLanguages())),
  recognise: (argument, _bytes, remote) => {
    const [width = 0, height = 0] = argument.split("x").map(Number);
    const pixels = Uint8Array.from({ length: width * height }, (_, at) => at % 251);
    const request = { picture: { width, height, pixels, dpi: 200 }, languages: ["eng"], timeoutMs: 5000 };
    return Buffer.from(JSON.stringify(remote.recognise(request)));
  },
  twice: (_argument, _bytes, remote) => {
    say(frame({ kind: "languages", jobId: 1, rssBytes: 1 }));
    say(Buffer.concat([frame({ ...question, width: 1, height: 1 }, 1), Buffer.alloc(1)]));
    say(Buffer.concat([frame({ ...question, width: 1, height: 1 }, 1), Buffer.alloc(1)]));
    return Buffer.from(JSON.stringify(remote.listLanguages()));
  },
  oversize: (_argument, _bytes, remote) => {
    say(Buffer.concat([frame({ ...question, width: 9, height: 9 }, 80), Buffer.alloc(80)]));
    return Buffer.from(JSON.stringify(remote.listLanguages()));
  },
  strange: (_argument, _bytes, remote) => {
    say(Buffer.concat([frame({ ...question, width: 1, height: 1, languages: ["../eng"] }, 1), Buffer.alloc(1)]));
    return Buffer.from(JSON.stringify(remote.listLanguages()));
  },
  part: (_argument, _bytes, remote) => {
    say(frame({ kind: "part", jobId: 1, offset: 0, rssBytes: 1 }));
    return Buffer.from(JSON.stringify(remote.listLanguages()));
  },
  half: () => {
    sayPiece();
    return process.exit(1);
  },
  halfRefused: () => {
    sayPiece();
    throw new AppError("PASSWORD_REQUIRED");
  },
  crumb: () => sayPiece(1),
  flood: () => {
    for (;;) sayPiece();
  },
  mojibake: () => Buffer.from([0xff, 0xfe, 0xfd]),
};

function sayPiece(sizeBytes = textPieceBytes): Buffer {
  return say(Buffer.concat([frame({ kind: "text", jobId: 1, rssBytes: 1 }, sizeBytes), Buffer.alloc(sizeBytes, "x")]));
}

function say(bytes: Buffer): Buffer {
  for (let at = 0; at < bytes.length;) at += writeSync(channelDescriptor, bytes, at);
  return Buffer.alloc(0);
}

const question = { kind: "recognise", jobId: 1, rssBytes: 1, dpi: 200, languages: ["eng"], timeoutMs: 5000 };

function frame(head: object, bodyBytes = 0): Buffer {
  const text = Buffer.from(JSON.stringify(head));
  const prefix = Buffer.alloc(8);
  prefix.writeUInt32LE(text.length, 0);
  prefix.writeUInt32LE(bodyBytes, 4);
  return Buffer.concat([prefix, text]);
}

async function act(job: JobMessage, sent: Uint8Array, { ask }: JobChannel): Promise<JobResult> {
  const { jobId, fileName, fileBytes } = job;
  const bytes = fileBytes === undefined ? sent : createRemoteFile(ask, job).readAt(0, fileBytes);
  const [name = "", argument = ""] = fileName.split("=");
  const action = actions[name];
  if (action === undefined) throw new Error(`no action ${name}`);
  const content = await action(argument, bytes, createRemoteRecogniser(ask, jobId));
  return { content, contentLength: content.length, isEmpty: content.length === 0, warnings: [] };
}

await serveJobs(act);
