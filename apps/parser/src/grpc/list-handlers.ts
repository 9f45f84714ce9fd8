import { toAppError } from "@attune/service-kit/app-error.ts";
import type { handleUnaryCall } from "@grpc/grpc-js";
import type { ListedEngine, SupportedFormat } from "../pipeline/list-formats.ts";
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
}

export function createFormatsHandler({
  listFormats,
}: ListHandlerDeps): handleUnaryCall<object, SupportedFormatsResponse> {
  return answering(async (signal) => {
    const formats = await listFormats(signal);
    return {
      file_types: formats.map(({ name }) => name),
      file_type_descriptions: Object.fromEntries(formats.map(({ name, description }) => [name, description])),
    };
  });
}

export function createEnginesHandler({ listEngines }: ListHandlerDeps): handleUnaryCall<object, EnginesResponse> {
  return answering(async (signal) => {
    const engines = await listEngines(signal);
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

function answering<TResponse>(answer: (signal: AbortSignal) => Promise<TResponse>): handleUnaryCall<object, TResponse> {
  return (call, callback) => {
    const controller = new AbortController();
    call.once("cancelled", () => controller.abort());
    answer(controller.signal).then(
      (response) => callback(null, response),
      (error: unknown) => callback(toStatus(toAppError(error))),
    );
  };
}
