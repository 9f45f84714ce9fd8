import { createLogger } from "@attune/service-kit/create-logger.ts";
import { createServer, type ServerPorts } from "./create-server.ts";
import type { NodeBinding } from "./node-route.ts";

export interface ServedRoutes {
  /** Without a slash at its end. */
  readonly url: string;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Serves operations on loopback as the agent does, for tests of one part. */
export async function serveRoutes(
  bindings: readonly NodeBinding[],
  { settings, ...ports }: Partial<ServerPorts> = {},
): Promise<ServedRoutes> {
  const server = await createServer(bindings, {
    logger: createLogger("node-agent", "silent"),
    settings: { token: undefined, ...settings },
    ...ports,
  });
  const url = await server.listen({ host: "127.0.0.1", port: 0 });
  return { url, [Symbol.asyncDispose]: () => server.close() };
}
