import type { DocparserClient } from "@attune/testkit/docparser-client.ts";
import { makeDocx } from "@attune/testkit/make-ooxml.ts";
import { descendantsOf } from "@attune/testkit/processes.ts";
import { peakMibOf } from "./peak-memory.ts";

export interface Beats {
  readonly count: number;
  readonly slowestMs: number;
  /** Answers that were not what an honest document gives. */
  readonly wrong: readonly string[];
  /** The most memory that a process of the service's own was seen to have had. */
  readonly peakWorkerMib: number;
}

export interface Heartbeat {
  /** Ends it; what it saw. */
  stop(): Promise<Beats>;
}

const pauseMs = 100;
const docx = makeDocx({ body: "<w:p><w:r><w:t>An honest document.</w:t></w:r></w:p>" }).toString("base64");
const documents = [
  { file_url: "data:text/plain,An%20honest%20document." },
  { file_url: "data:text/html,<p>An%20honest%20document.</p>" },
  { file_url: `data:application/octet-stream;base64,${docx}` },
];

/** Somebody else who sends small honest documents to the same service, one after the other. */
export function startHeartbeat(client: DocparserClient, servicePid: number): Heartbeat {
  const stopping = new AbortController();
  const beats = { count: 0, slowestMs: 0, wrong: [] as string[], peakWorkerMib: 0 };
  const beat = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const startedAtMs = performance.now();
      const request = documents[beats.count % documents.length] ?? {};
      const answer = await client.parse(request, { deadlineMs: 20_000 }).catch((error: unknown) => String(error));
      const isRight = typeof answer === "object" && answer.content === "An honest document.\n";
      if (!isRight) beats.wrong.push(typeof answer === "string" ? answer : `${answer.message} ${answer.content}`);
      beats.count++;
      beats.slowestMs = Math.max(beats.slowestMs, Math.round(performance.now() - startedAtMs));
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  };
  const watch = setInterval(() => {
    const peaks = descendantsOf(servicePid).map(peakMibOf);
    beats.peakWorkerMib = Math.max(beats.peakWorkerMib, ...peaks);
  }, 200);
  const ended = beat();
  return {
    stop: async () => {
      stopping.abort();
      clearInterval(watch);
      await ended;
      return beats;
    },
  };
}
