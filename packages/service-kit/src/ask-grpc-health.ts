import { connect, constants, type IncomingHttpHeaders } from "node:http2";

/** `serving`: it takes calls. `not_serving`: it answers, and says that it cannot work at present. */
export type GrpcHealth = "serving" | "not_serving";

export interface GrpcHealthRequest {
  /** Such as http://127.0.0.1:50051. */
  readonly origin: string;
  readonly timeoutMs: number;
  /** Whether a certificate must be of an authority that this process trusts (NODE_EXTRA_CA_CERTS adds some); true unless given. */
  readonly isCertificateChecked?: boolean;
}

// A gRPC message: not compressed, four bytes of length, and here nothing of the request, the state of the answer (field 1).
const emptyMessage = Buffer.alloc(5);
const servingMessage = Buffer.from([0, 0, 0, 0, 2, 8, 1]);
/** An answer about health has some ten bytes; what sends more is something else. */
const maxAnswerBytes = 1000;
const path = "/grpc.health.v1.Health/Check";

/**
 * Asks a service for its health as gRPC defines it (grpc.health.v1), without a library of gRPC.
 * @throws Error saying why there is no such answer.
 */
export async function askGrpcHealth(request: GrpcHealthRequest, signal?: AbortSignal): Promise<GrpcHealth> {
  signal?.throwIfAborted();
  const { status, message, answer } = await ask(request, signal);
  if (status !== "0")
    throw new Error(`it answers with the gRPC status ${status || "none"}${message && `: ${message}`}`);
  return answer.equals(servingMessage) ? "serving" : "not_serving";
}

interface Answer {
  readonly status: string;
  readonly message: string;
  readonly answer: Buffer;
}

function ask({ origin, timeoutMs, isCertificateChecked }: GrpcHealthRequest, signal?: AbortSignal): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const session = connect(origin, { rejectUnauthorized: isCertificateChecked ?? true });
    const fail = (error: unknown): void => end(() => reject(error instanceof Error ? error : new Error(String(error))));
    // One that sends a little now and then is silent all the same.
    const timer = setTimeout(() => fail(new Error(`no answer in ${timeoutMs} ms`)), timeoutMs);
    const abort = (): void => fail(signal?.reason);
    signal?.addEventListener("abort", abort, { once: true });
    const end = (settle: () => void): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
      session.destroy();
      settle();
    };
    session.once("error", fail);
    session.once("close", () => fail(new Error("the connection was closed")));
    const stream = session.request({
      [constants.HTTP2_HEADER_METHOD]: "POST",
      [constants.HTTP2_HEADER_PATH]: path,
      [constants.HTTP2_HEADER_CONTENT_TYPE]: "application/grpc",
      te: "trailers",
    });
    const told = { status: "", message: "" };
    const chunks: Buffer[] = [];
    let sizeBytes = 0;
    const takeStatus = (headers: IncomingHttpHeaders): void => {
      if (headers["grpc-status"] === undefined) return;
      told.status = [headers["grpc-status"]].flat().join();
      told.message = [headers["grpc-message"] ?? ""].flat().join().slice(0, 200);
    };
    stream.on("response", takeStatus);
    stream.on("trailers", takeStatus);
    stream.on("data", (chunk: Buffer) => {
      sizeBytes += chunk.length;
      if (sizeBytes > maxAnswerBytes) fail(new Error("its answer is not one about health"));
      else chunks.push(chunk);
    });
    stream.once("error", fail);
    stream.once("end", () => end(() => resolve({ ...told, answer: Buffer.concat(chunks) })));
    stream.end(emptyMessage);
  });
}
