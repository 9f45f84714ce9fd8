import { createHash } from "node:crypto";
import { extname } from "node:path";
import { pathToFileURL } from "node:url";
import { parserReasons } from "@attune/contracts/errors/reasons.ts";
import type { DocparserClient } from "@attune/testkit/docparser-client.ts";

export interface CorpusOutcome {
  /** Path inside the corpus. */
  readonly file: string;
  readonly extension: string;
  /** The type detected, as far as it got. */
  readonly fileType: string;
  readonly isSuccess: boolean;
  /** The reason of a failure; `NO_ANSWER …` when the call itself failed. */
  readonly reason: string;
  readonly message: string;
  readonly contentLength: number;
  readonly hash: string;
  readonly hasErrorInContent: boolean;
  readonly durationMs: number;
}

const inFlight = 4;
const deadlineMs = 180_000;

/** Parses every file over gRPC, a few at a time; outcomes in the order of the files. */
export async function parseCorpus(
  client: DocparserClient,
  root: string,
  files: readonly string[],
): Promise<readonly CorpusOutcome[]> {
  const outcomes: CorpusOutcome[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    for (let index = next++; index < files.length; index = next++) {
      outcomes[index] = await parseOne(client, root, files[index] ?? "");
      if (index % 200 === 0) process.stderr.write(`${index}/${files.length}\n`);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, work));
  return outcomes;
}

async function parseOne(client: DocparserClient, root: string, file: string): Promise<CorpusOutcome> {
  const startedAtMs = performance.now();
  const request = { file_url: pathToFileURL(`${root}/${file}`).href, file_name: file.split("/").at(-1) ?? "" };
  const answer = await client.parse(request, { deadlineMs }).catch((error: unknown) => noAnswer(error));
  return {
    file,
    extension: extname(file).toLowerCase().slice(1),
    fileType: answer.file_type,
    isSuccess: answer.success,
    reason: answer.success ? "" : (answer.message.split(":")[0] ?? ""),
    message: answer.message,
    contentLength: answer.content_length,
    hash: createHash("sha256").update(answer.content).update(answer.message).digest("hex"),
    hasErrorInContent: looksLikeError(answer.content),
    durationMs: performance.now() - startedAtMs,
  };
}

function noAnswer(error: unknown) {
  const details = error instanceof Error ? error.message : String(error);
  return {
    success: false,
    content: "",
    message: `NO_ANSWER: ${details}`,
    content_length: 0,
    file_type: "",
    parser_engine: "",
  };
}

// One of our reasons or a stack trace of JavaScript where text should be.
const stack = /^\s+at (?:async )?[\w.<>]+ \((?:file|node):/m;

function looksLikeError(content: string): boolean {
  return Object.keys(parserReasons).some((reason) => content.includes(`${reason}: `)) || stack.test(content);
}

/** Whether a reason is one of the documented ones. */
export function isDocumented(reason: string): boolean {
  return reason in parserReasons;
}
