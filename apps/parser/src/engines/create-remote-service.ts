import { AppError } from "@attune/service-kit/app-error.ts";
import type { Secret } from "@attune/service-kit/secret.ts";
import type { OutboundHttp, OutboundResponse } from "../outbound/outbound-http.ts";
import type { Availability, EngineValues } from "./engine.ts";
import { callRemote, findEndpoint, findKey, probeRemote, type RemoteCall } from "./remote-service.ts";

export interface RemoteServiceDefinition {
  /** Name of the engine, for messages. */
  readonly engine: string;
  readonly address: { readonly override: string; readonly setting: string; readonly value: string | undefined };
  readonly key?: {
    readonly override: string;
    readonly value: Secret | undefined;
    readonly toHeaders: (key: string) => Readonly<Record<string, string>>;
  };
  /** What answers with 2xx when the service is there; from the address on, with a slash. */
  readonly probePath: string;
}

/** The service behind an engine, at the address that stands for one request. */
export interface RemoteService {
  readonly probe: (values: EngineValues, signal: AbortSignal) => Promise<Availability>;
  /** @throws AppError as `callRemote` does; `ENGINE_UNAVAILABLE` when no address is known. */
  readonly call: (
    values: EngineValues,
    call: Omit<RemoteCall, "engine" | "endpoint">,
    signal: AbortSignal,
  ) => Promise<OutboundResponse>;
}

export const bearer = (key: string): Readonly<Record<string, string>> => ({ authorization: `Bearer ${key}` });

export function createRemoteService(http: OutboundHttp, definition: RemoteServiceDefinition): RemoteService {
  const { engine, address, key, probePath } = definition;
  const reason = `No address is known: set ${address.setting}, or the override ${address.override}.`;
  const connect = (values: EngineValues) => {
    const endpoint = findEndpoint(values[address.override], address.value);
    if (endpoint === undefined) return undefined;
    const found = key === undefined ? undefined : findKey(values[key.override], key.value, endpoint);
    const headers = key === undefined || found === undefined ? {} : key.toHeaders(found);
    return { engine, endpoint, headers };
  };
  return {
    probe: async (values, signal) => {
      const place = connect(values);
      if (place === undefined) return { isAvailable: false, reason };
      return probeRemote(http, { ...place, path: probePath }, signal);
    },
    call: async (values, call, signal) => {
      const place = connect(values);
      if (place === undefined) throw new AppError("ENGINE_UNAVAILABLE", { detail: reason });
      return callRemote(http, { ...call, ...place, headers: { ...call.headers, ...place.headers } }, signal);
    },
  };
}
