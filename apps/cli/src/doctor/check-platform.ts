import type { Check } from "./check.ts";

const timeoutMs = 5000;
const remedy = "See its lines in the output of `npm start`.";

/** Asks the platform whether it serves, and whether it can do its work. @param origin such as http://127.0.0.1:8080 */
export async function checkPlatform(origin: string): Promise<Check> {
  try {
    const serves = await ask(`${origin}/healthz`);
    if (serves >= 500)
      return { state: "fail", text: `The platform on ${origin} answers with status ${serves}.`, remedy };
    const ready = await ask(`${origin}/readyz`);
    if (ready < 500) return { state: "ok", text: `The platform serves on ${origin}.` };
    return {
      state: "fail",
      text: `The platform on ${origin} answers, but cannot do its work (status ${ready}).`,
      remedy: "See what is said of the database here, and its lines in the output of `npm start`.",
    };
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    const why = cause instanceof Error ? cause.message : String(cause);
    return { state: "fail", text: `The platform on ${origin} does not answer: ${why}.`, remedy };
  }
}

const ask = async (url: string): Promise<number> =>
  (await fetch(url, { signal: AbortSignal.timeout(timeoutMs), redirect: "manual" })).status;
