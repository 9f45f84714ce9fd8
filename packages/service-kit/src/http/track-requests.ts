import type { FastifyInstance } from "fastify";

export interface RequestTracker {
  /** Waits until no request is under way, at most so long; tells how many still are. */
  drain(timeoutMs: number): Promise<number>;
}

export interface TrackOptions {
  /** Whether streams of events count: those that nothing ends do not, and whoever reads one resumes it elsewhere. */
  readonly countsStreams: boolean;
}

/** Knows which requests are under way, until the last byte of their answer. */
export function trackRequests(server: FastifyInstance, { countsStreams }: TrackOptions): RequestTracker {
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
    if (!countsStreams && String(reply.getHeader("content-type")).startsWith("text/event-stream")) leave(request);
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
