/**
 * What @grpc/grpc-js has and keeps to itself, but without which memory cannot be bounded. Its version is pinned, and without
 * these nothing is served, so that a release which moves them fails every test and no caller.
 */
import { type ServerHttp2Stream, constants } from "node:http2";
import type { Server as NetServer } from "node:net";
import { Duplex } from "node:stream";
import type { Server, ServerInterceptingCallInterface } from "@grpc/grpc-js";

/** The HTTP/2 stream of a call, known to the innermost interceptor. @throws TypeError when it is not there. */
export function streamOf(call: ServerInterceptingCallInterface): ServerHttp2Stream {
  const { stream } = call as { stream?: unknown };
  if (!(stream instanceof Duplex)) throw new TypeError("The gRPC library has moved the stream of a call.");
  return stream as ServerHttp2Stream;
}

/** The servers that listen, one for each address of the host name. @throws TypeError when they are not there. */
export function listenersOf(server: Server): readonly NetServer[] {
  const { http2Servers } = server as unknown as { http2Servers?: unknown };
  if (!(http2Servers instanceof Map)) throw new TypeError("The gRPC library has moved its listeners.");
  return [...(http2Servers as Map<NetServer, unknown>).keys()];
}

/** Takes no more of a request that is answered already; the library would keep what has arrived until the caller ends it. */
export function closeAnswered(stream: ServerHttp2Stream): void {
  if (!stream.closed) stream.close(constants.NGHTTP2_NO_ERROR);
}
