import { randomUUID } from "node:crypto";
import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { AppError } from "../app-error.ts";
import { toProblem } from "./to-problem.ts";

/** Answers bytes that Node could not read as a request, so that no route and no hook ever sees them. */
export function answerUnreadable(error: Error & { readonly code?: string }, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable || isAnswerBegun(socket)) return void socket.destroy();
  const { status, reason, detail } = kindOf(error.code);
  const requestId = randomUUID();
  const { problem } = toProblem(new AppError(reason, { detail }, error), requestId);
  const body = JSON.stringify({ ...problem, status });
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    "content-type: application/problem+json; charset=utf-8",
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${requestId}`,
    "cache-control: no-store",
    "connection: close",
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`, () => socket.destroy());
}

function kindOf(code: string | undefined) {
  if (code === "HPE_HEADER_OVERFLOW") {
    return { status: 431, reason: "REQUEST_TOO_LARGE", detail: "Its headers are longer than 16 KiB." } as const;
  }
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") {
    return { status: 408, reason: "REQUEST_MALFORMED", detail: "It did not come whole in time." } as const;
  }
  return { status: 400, reason: "REQUEST_MALFORMED", detail: "It is no well-formed HTTP." } as const;
}

/** As Node itself asks: an answer that began cannot become another one. */
function isAnswerBegun(socket: Socket): boolean {
  const { _httpMessage: answer } = socket as Socket & { _httpMessage?: { headersSent: boolean } | null };
  return answer?.headersSent === true;
}
