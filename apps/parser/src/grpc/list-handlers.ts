import type { AppError } from "@attune/service-kit/app-error.ts";
import type { handleUnaryCall } from "@grpc/grpc-js";
import type { ListedEngine, SupportedFormat } from "../pipeline/list-formats.ts";
import { identifyCall, toCallError } from "./identify-call.ts";
import { toStatus } from "./status-error.ts";

interface SupportedFormatsResponse {
  readonly file_types: readonly string[];
  readonly file_type_descriptions: Readonly<Record<string, string>>;
}

interface EnginesResponse {
  readonly engines: readonly {
    readonly name: string;
    readonly description: string;
    readonly supported_file_types: readonly string[];
    readonly available: boolean;
    readonly unavailable_reason: string;
  }[];
}

export interface ListHandlerDeps {
  readonly listFormats: (signal: AbortSignal) => Promise<readonly SupportedFormat[]>;
  readonly listEngines: (signal: AbortSignal) => Promise<readonly ListedEngine[]>;
  /** Hears of every list that could not be made. */
  readonly onFault?: (error: AppError, requestId: string) => void;
}

export function createFormatsHandler(deps: ListHandlerDeps): handleUnaryCall<object, SupportedFormatsResponse> {
  return answering(deps, async (signal) => {
    const formats = await deps.listFormats(signal);
    return {
      file_types: formats.map(({ name }) => name),
      file_type_descriptions: Object.fromEntries(formats.map(({ name, description }) => [name, description])),
    };
  });
}

export function createEnginesHandler(deps: ListHandlerDeps): handleUnaryCall<object, EnginesResponse> {
  return answering(deps, async (signal) => {
    const engines = await deps.listEngines(signal);
    return {
      engines: engines.map((engine) => ({
        name: engine.name,
        description: engine.description,
        supported_file_types: engine.formats,
        available: engine.isAvailable,
        unavailable_reason: engine.unavailableReason,
      })),
    };
  });
}

function answering<TResponse>(
  { onFault }: ListHandlerDeps,
  answer: (signal: AbortSignal) => Promise<TResponse>,
): handleUnaryCall<object, TResponse> {
  return (call, callback) => {
    const requestId = identifyCall(call);
    const controller = new AbortController();
    call.once("cancelled", () => controller.abort());
    answer(controller.signal).then(
      (response) => callback(null, response),
      (thrown: unknown) => {
        const error = toCallError(thrown, requestId);
        // A caller who has gone is the cause and no fault.
        if (!controller.signal.aborted) onFault?.(error, requestId);
        callback(toStatus(error));
      },
    );
  };
}
