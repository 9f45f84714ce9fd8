import type { Recogniser } from "../ocr/recogniser.ts";
import type { BytesAccess } from "../engines/engine.ts";
import { type LanguagesReply, partBytes, type PartReply, type RecognitionReply } from "./messages.ts";
import type { CheckedQuestion } from "./parse-worker-message.ts";

export interface Reply {
  readonly head: LanguagesReply | PartReply | RecognitionReply;
  readonly body: Uint8Array;
}

/** What the questions of one job are answered by. */
export interface JobMeans {
  readonly recogniser: Recogniser | undefined;
  /** Undefined when the job was sent with its file. */
  readonly file: BytesAccess | undefined;
}

/**
 * Answers a question that a worker asks in the middle of its job. What fails in recognition is told as such: the worker goes
 * on without.
 * @throws Error when the file cannot be read, or there is none to read.
 */
export async function answerQuestion(
  question: CheckedQuestion,
  { recogniser, file }: JobMeans,
  signal: AbortSignal,
): Promise<Reply> {
  if (question.kind === "part") {
    if (file === undefined) throw new Error("a part of no file");
    return { head: { kind: "part" }, body: file.readAt(question.offset, partBytes) };
  }
  if (question.kind === "languages") {
    const list = await recogniser?.listLanguages(signal);
    return { head: { kind: "languages", languages: list?.languages ?? [], fault: list?.fault }, body: nothing };
  }
  const { width, height, dpi, languages, timeoutMs, content: pixels } = question;
  const request = { picture: { width, height, dpi, pixels }, languages, timeoutMs };
  const read = recogniser?.recognise(request, signal).catch(() => failed);
  const recognition = (await read) ?? failed;
  const { outcome } = recognition;
  const detail = outcome === "failed" ? recognition.detail : "";
  const body = outcome === "read" ? Buffer.from(recognition.hocr, "utf8") : nothing;
  return { head: { kind: "recognition", outcome, detail }, body };
}

const nothing = new Uint8Array();
const failed = { outcome: "failed", detail: "OCR failed." } as const;
