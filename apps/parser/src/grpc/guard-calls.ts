import { constants, type ServerHttp2Stream } from "node:http2";
import { AppError } from "@attune/service-kit/app-error.ts";
import { type ServerInterceptingCallInterface, type ServerInterceptor, status as codes } from "@grpc/grpc-js";
import { type ByteBudget, createByteBudget } from "./byte-budget.ts";
import { FreeingCall } from "./free-answers.ts";
import { closeAnswered, streamOf } from "./grpc-internals.ts";
import { type CallStatus, nameLibraryStatus } from "./name-library-status.ts";
import { toStatus } from "./status-error.ts";

export interface CallGuardSettings {
  /** The only method whose requests may be large. */
  readonly documentMethod: string;
  readonly maxRequestBytes: number;
  /** Of all requests in the house together, each from its first byte until its call ends. */
  readonly maxHeldBytes: number;
  readonly maxOpenCalls: number;
  /** For an answer to be taken by its caller. */
  readonly sendTimeoutMs: number;
  /** Told of each call that is turned away before a handler saw it. */
  readonly onRefusal: (refusal: CallRefusal) => void;
}

export interface CallRefusal {
  /** `/docparser.DocumentParser/ParseDocument`; the start of what the caller wrote when there is no such method. */
  readonly method: string;
  /** Of the closed list, or the gRPC code in words where the library alone knows. */
  readonly reason: string;
}

export interface CallGuard {
  /** Has to be the first one: it meets what the library decides itself. */
  readonly interceptor: ServerInterceptor;
  /** Turns away requests that are still arriving; resolves when every call that waits for one answer has ended. */
  drain(): Promise<void>;
}

/** One call as long as its stream is open. */
interface OpenCall {
  readonly path: string;
  readonly call: ServerInterceptingCallInterface;
  readonly stream: ServerHttp2Stream;
  /** Whether it has one request and one answer; streams stay open as long as their callers like. */
  readonly isUnary: boolean;
  hasArrived: boolean;
}

/** What each request may hold uncounted: any request without a document in it. Also the most that other methods take. */
const smallRequestBytes = 64 << 10;
// Deflate makes at most 1032 bytes of one (https://zlib.net/zlib_tech.html).
const maxInflation = 1032;
const retryAfterMs = 1000;
const maxMethodLength = 100;

/** Bounds what all calls together hold of the service, and gives failures that the library finds a reason of the closed list. */
export function createCallGuard(settings: CallGuardSettings): CallGuard {
  const budget = createByteBudget({ maxBytes: settings.maxHeldBytes, freeBytes: smallRequestBytes });
  const openCalls = new Set<OpenCall>();
  let onIdle: (() => void) | undefined;
  const reportIdle = (): void => {
    if (![...openCalls].some(({ isUnary }) => isUnary)) onIdle?.();
  };
  return {
    interceptor: ({ path, requestStream, responseStream }, call) => {
      const open = {
        path,
        call,
        stream: streamOf(call),
        isUnary: !requestStream && !responseStream,
        hasArrived: false,
      };
      ownStatuses(open, settings);
      if (openCalls.size >= settings.maxOpenCalls) refuse(open, full("There are too many calls open."));
      openCalls.add(open);
      open.stream.once("close", () => {
        openCalls.delete(open);
        if (onIdle !== undefined) reportIdle();
      });
      boundRequest(open, budget, settings);
      return watch(open, settings);
    },
    drain: () =>
      new Promise((resolve) => {
        onIdle = resolve;
        for (const open of openCalls) {
          if (open.isUnary && !open.hasArrived) refuse(open, new AppError("SHUTTING_DOWN"));
        }
        reportIdle();
      }),
  };
}

// The library ends calls past all interceptors, by the innermost call's own method.
function ownStatuses(open: OpenCall, { onRefusal }: CallGuardSettings): void {
  const { call, stream, path: method } = open;
  const send = call.sendStatus.bind(call);
  call.sendStatus = (status: CallStatus): void => {
    const isWholeAnswer = !stream.headersSent;
    const named = nameLibraryStatus(status);
    send(named);
    if (!open.hasArrived && named.code !== codes.OK)
      onRefusal({ method: method.slice(0, maxMethodLength), reason: reasonOf(named) });
    if (isWholeAnswer) closeAnswered(stream);
  };
}

function reasonOf({ code, details }: CallStatus): string {
  return /^([A-Z_]+): /.exec(details)?.[1] ?? codes[code];
}

// A compressed request counts as what it may become, because it becomes that before anyone can look at it.
function boundRequest(open: OpenCall, budget: ByteBudget, settings: CallGuardSettings): void {
  const share = budget.open();
  const isDocument = open.path === settings.documentMethod;
  let receivedBytes = 0;
  let inflation = 1;
  open.stream.on("data", (chunk: Buffer) => {
    if (open.stream.closed) return;
    if (receivedBytes === 0 && chunk[0] !== 0) inflation = maxInflation;
    receivedBytes += chunk.length;
    if (!isDocument && receivedBytes > smallRequestBytes) {
      refuse(open, new AppError("REQUEST_TOO_LARGE"));
    } else if (!share.growTo(Math.min(receivedBytes * inflation, settings.maxRequestBytes))) {
      refuse(open, full("Other requests hold all the memory there is for large ones."));
    }
  });
  open.stream.once("close", () => share.release());
}

function watch(open: OpenCall, { sendTimeoutMs }: CallGuardSettings): FreeingCall {
  return new FreeingCall(open.stream, open.call, {
    start: (next) =>
      next({
        onReceiveMessage: (message, pass) => {
          open.hasArrived = true;
          pass(message);
        },
      }),
    sendMessage: (message, next) => {
      if (open.isUnary) limitSending(open.stream, sendTimeoutMs);
      next(message);
    },
  });
}

function limitSending(stream: ServerHttp2Stream, timeoutMs: number): void {
  const timer = setTimeout(() => stream.close(constants.NGHTTP2_CANCEL), timeoutMs);
  timer.unref();
  stream.once("close", () => clearTimeout(timer));
}

function full(detail: string): AppError {
  return new AppError("QUEUE_FULL", { detail, retryAfterMs });
}

function refuse({ call }: OpenCall, error: AppError): void {
  call.sendStatus(toStatus(error));
}
