import { connect, constants } from "node:http2";
import type { Check } from "./check.ts";

const timeoutMs = 5000;
// A gRPC message: not compressed, four bytes of length, and here nothing of the request, the state of the answer (field 1).
const emptyMessage = Buffer.alloc(5);
const servingMessage = Buffer.from([0, 0, 0, 0, 2, 8, 1]);
const path = "/grpc.health.v1.Health/Check";
const remedy = "See its lines in the output of `npm start`.";

/** Asks the parser over the standard health service of gRPC. @param origin such as http://127.0.0.1:50051 */
export async function checkParser(origin: string): Promise<Check> {
  try {
    const answer = await ask(origin);
    if (answer.equals(servingMessage)) return { state: "ok", text: `The parser serves on ${origin}.` };
    return {
      state: "fail",
      text: `The parser on ${origin} answers, but it cannot parse documents at present.`,
      remedy,
    };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { state: "fail", text: `The parser on ${origin} does not answer: ${why}.`, remedy };
  }
}

function ask(origin: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    // Whose certificate it is does not matter for whether it answers.
    const session = connect(origin, { rejectUnauthorized: false });
    const end = (settle: () => void): void => {
      session.destroy();
      settle();
    };
    session.once("error", (error) => end(() => reject(error)));
    session.setTimeout(timeoutMs, () => end(() => reject(new Error(`no answer in ${timeoutMs} ms`))));
    const { HTTP2_HEADER_METHOD, HTTP2_HEADER_PATH, HTTP2_HEADER_CONTENT_TYPE } = constants;
    const stream = session.request({
      [HTTP2_HEADER_METHOD]: "POST",
      [HTTP2_HEADER_PATH]: path,
      [HTTP2_HEADER_CONTENT_TYPE]: "application/grpc",
      te: "trailers",
    });
    const chunks: Buffer[] = [];
    stream.on("data", (chunk: Buffer) => chunks.push(chunk));
    stream.once("error", (error) => end(() => reject(error)));
    stream.once("end", () => end(() => resolve(Buffer.concat(chunks))));
    stream.end(emptyMessage);
  });
}
