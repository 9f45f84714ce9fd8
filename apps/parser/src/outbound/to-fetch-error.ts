import { AppError } from "@attune/service-kit/app-error.ts";

/** Any failure of an exchange as a reason; what the operating system or a library said stays in the cause. */
export function toFetchError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  const code = codeOf(error);
  if (timeouts.has(code)) return new AppError("FETCH_TIMEOUT", { detail: "Its server fell silent." }, error);
  return new AppError("FETCH_FAILED", { detail: describe(code) }, error);
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}

const timeouts = new Set(["UND_ERR_CONNECT_TIMEOUT", "UND_ERR_HEADERS_TIMEOUT", "UND_ERR_BODY_TIMEOUT", "ETIMEDOUT"]);

function describe(code: string): string {
  if (code === "UND_ERR_HEADERS_OVERFLOW") return "Its server sent more headers than this service accepts.";
  if (code === "UND_ERR_RES_CONTENT_LENGTH_MISMATCH") return endedEarly;
  if (code.startsWith("HPE_")) return "Its server did not answer in well-formed HTTP.";
  if (/^(?:ERR_TLS_|ERR_SSL_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH|EPROTO)/.test(code)) {
    return "The certificate or encryption of its server is not valid for this address.";
  }
  return "Its server could not be reached, or closed the connection.";
}

export const endedEarly = "Its server closed the connection before all of the file had arrived.";
