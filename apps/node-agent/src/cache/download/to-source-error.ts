import { AppError } from "@attune/service-kit/app-error.ts";

/**
 * Any failure of an exchange as a reason; what the system or a library said stays in the cause. Only the host is told: the
 * rest of a presigned link is a secret.
 */
export function toSourceError(error: unknown, host: string, signal?: AbortSignal): unknown {
  if (signal?.aborted === true) return signal.reason;
  const refusal = findRefusal(error);
  if (refusal !== undefined) return refusal;
  if (error instanceof Error && error.name === "AbortError") return error;
  const code = codeOf(error);
  if (timeouts.has(code)) return new AppError("CACHE_SOURCE_TIMEOUT", { detail: `${host} fell silent.` }, error);
  return new AppError("CACHE_SOURCE_FAILED", { detail: describe(code, host) }, error);
}

// A refusal by the guard comes back as it is, or as the cause of what the connection says.
function findRefusal(error: unknown): AppError | undefined {
  if (error instanceof AppError) return error;
  return error instanceof Error && error.cause instanceof AppError ? error.cause : undefined;
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}

const timeouts = new Set(["UND_ERR_CONNECT_TIMEOUT", "UND_ERR_HEADERS_TIMEOUT", "UND_ERR_BODY_TIMEOUT", "ETIMEDOUT"]);

function describe(code: string, host: string): string {
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return `The name ${host} has no address.`;
  if (code === "ECONNREFUSED") return `Nothing answers at ${host}.`;
  if (code === "UND_ERR_HEADERS_OVERFLOW") return `${host} sent more headers than are accepted.`;
  if (code.startsWith("HPE_")) return `${host} did not answer in well-formed HTTP.`;
  if (/^(?:ERR_TLS_|ERR_SSL_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH|EPROTO)/.test(code)) {
    return `The certificate or encryption of ${host} is not valid for this address.`;
  }
  return `${host} closed the connection before all had come.`;
}
