import type { Check } from "./check.ts";

const timeoutMs = 5000;
const remedy = "See its lines in the output of `npm start`.";

/** Asks the platform for its health. @param origin such as http://127.0.0.1:8080 */
export async function checkPlatform(origin: string): Promise<Check> {
  try {
    const { status } = await fetch(`${origin}/healthz`, { signal: AbortSignal.timeout(timeoutMs), redirect: "manual" });
    if (status < 500) return { state: "ok", text: `The platform serves on ${origin}.` };
    return { state: "fail", text: `The platform on ${origin} answers with status ${status}.`, remedy };
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    const why = cause instanceof Error ? cause.message : String(cause);
    return { state: "fail", text: `The platform on ${origin} does not answer: ${why}.`, remedy };
  }
}
