import type { RemoteRecogniser } from "../ocr/create-page-recogniser.ts";
import type { LanguageList, Recognition } from "../ocr/recogniser.ts";
import type { Frame } from "./frame.ts";
import type { LanguagesMessage, RecogniseMessage } from "./messages.ts";
import { residentBytes } from "./resident-bytes.ts";

/** Asks the service something in the middle of a job, and waits for what it says. */
export type AskService = (question: object, body?: Uint8Array) => Frame;

/** The recogniser of the service, as a worker asks for it. */
export function createRemoteRecogniser(ask: AskService, jobId: number): RemoteRecogniser {
  return {
    listLanguages: () => {
      const question: LanguagesMessage = { kind: "languages", jobId, rssBytes: residentBytes() };
      return toLanguages(ask(question).head);
    },
    recognise: ({ picture, languages, timeoutMs }) => {
      const { width, height, dpi, pixels } = picture;
      const question: RecogniseMessage = {
        kind: "recognise",
        jobId,
        width,
        height,
        dpi: Math.min(10_000, Math.max(1, dpi)),
        languages,
        timeoutMs: Math.max(1, Math.floor(timeoutMs)),
        rssBytes: residentBytes(),
      };
      return toRecognition(ask(question, pixels));
    },
  };
}

// By hand: a schema library would take longer to load than a small document takes to read.
function toLanguages(head: unknown): LanguageList {
  const { kind, languages, fault } = head as { kind?: unknown; languages?: unknown; fault?: unknown };
  if (kind !== "languages" || !Array.isArray(languages)) throw new Error("no answer about languages");
  const names = languages.filter((language): language is string => typeof language === "string");
  return { languages: names, ...(typeof fault === "string" && { fault }) };
}

function toRecognition({ head, body }: Frame): Recognition {
  const { kind, outcome, detail } = head as { kind?: unknown; outcome?: unknown; detail?: unknown };
  if (kind !== "recognition") throw new Error("no answer about a picture");
  if (outcome === "read") return { outcome, hocr: body.toString("utf8") };
  return outcome === "timeout" ? { outcome } : { outcome: "failed", detail: String(detail) };
}
