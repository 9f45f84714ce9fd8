import type { FastifyInstance } from "fastify";

export interface RequestTracker {
  /** Waits until no request is under way, at most so long; tells how many still are. */
  drain(timeoutMs: number): Promise<number>;
}

/**
 * Knows which requests are under way, until the last byte of their answer. Streams of events do not count: they have no end,
 * and whoever reads one resumes it elsewhere.
 */
export function trackRequests(server: FastifyInstance): RequestTracker {
  const underWay = new Set<object>();
  let tell: (() => void) | undefined;
  const leave = (request: object): void => {
    underWay.delete(request);
    if (underWay.size === 0) tell?.();
  };
  server.addHook("onRequest", async (request, reply) => {
    underWay.add(request);
    reply.raw.once("close", () => leave(request));
  });
  server.addHook("onSend", async (request, reply) => {
    if (String(reply.getHeader("content-type")).startsWith("text/event-stream")) leave(request);
  });
  return {
    drain: async (timeoutMs) => {
      if (underWay.size === 0) return 0;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, timeoutMs);
        tell = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      return underWay.size;
    },
  };
}
