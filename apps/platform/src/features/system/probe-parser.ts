import { askGrpcHealth } from "@attune/service-kit/ask-grpc-health.ts";
import type { ProbeOf } from "./probe.ts";

const timeoutMs = 4000;

/** Asks the parser for its health as gRPC defines it. @param url such as http://127.0.0.1:50051 */
export function createParserProbe(url: string | undefined): ProbeOf<"parser"> {
  return {
    part: "parser",
    unavailable: "PARSER_UNAVAILABLE",
    run: async (signal) => {
      if (url === undefined) return undefined;
      const startMs = performance.now();
      const health = await askGrpcHealth({ origin: url, timeoutMs }, signal);
      const facts = { url, latency_ms: Math.round(performance.now() - startMs) };
      return { facts, findings: health === "serving" ? [] : [{ reason: "PARSER_NOT_SERVING", state: "failing" }] };
    },
  };
}
