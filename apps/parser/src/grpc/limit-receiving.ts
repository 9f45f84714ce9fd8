import { AppError } from "@attune/service-kit/app-error.ts";
import { ServerInterceptingCall, type ServerInterceptor } from "@grpc/grpc-js";
import { toStatus } from "./status-error.ts";

/** Ends a call whose message has not arrived in time: the library waits for ever for the second half of a message. */
export function createReceiveLimit(timeoutMs: number): ServerInterceptor {
  return (_method, call) => {
    const timer = setTimeout(() => {
      call.sendStatus(toStatus(new AppError("CALL_DEADLINE_EXCEEDED", { detail: "Its message did not arrive." })));
    }, timeoutMs);
    timer.unref();
    const stop = (): void => clearTimeout(timer);
    return new ServerInterceptingCall(call, {
      start: (next) =>
        next({
          onReceiveMessage: (message, pass) => {
            stop();
            pass(message);
          },
          onCancel: stop,
        }),
      sendStatus: (status, next) => {
        stop();
        next(status);
      },
    });
  };
}
