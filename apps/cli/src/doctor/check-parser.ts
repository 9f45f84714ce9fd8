import { askGrpcHealth } from "@attune/service-kit/ask-grpc-health.ts";
import type { Check } from "./check.ts";

const timeoutMs = 5000;
const remedy = "See its lines in the output of `npm start`.";

/** Asks the parser over the standard health service of gRPC. @param origin such as http://127.0.0.1:50051 */
export async function checkParser(origin: string): Promise<Check> {
  try {
    // Whose certificate it is does not matter for whether it answers.
    const health = await askGrpcHealth({ origin, timeoutMs, isCertificateChecked: false });
    if (health === "serving") return { state: "ok", text: `The parser serves on ${origin}.` };
    return {
      state: "fail",
      text: `The parser on ${origin} answers, but it cannot parse documents at present.`,
      remedy,
    };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { state: "fail", text: `The parser on ${origin} does not answer: ${why}.`, remedy };
  }
}
