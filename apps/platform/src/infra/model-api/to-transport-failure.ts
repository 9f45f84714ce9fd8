import { AppError, type Reason } from "@attune/service-kit/app-error.ts";

interface Failure {
  readonly reason: Reason;
  readonly detail: string;
}

const ofDns: Failure = { reason: "MODEL_API_HOST_UNKNOWN", detail: "Its name cannot be resolved." };
const closedEarly: Failure = { reason: "MODEL_API_UNREACHABLE", detail: "The connection was closed before an answer." };
const unreachable = (detail: string): Failure => ({ reason: "MODEL_API_UNREACHABLE", detail });
const unsafe = (detail: string): Failure => ({ reason: "MODEL_API_TLS_FAILED", detail });

// Codes of Node, OpenSSL and undici.
const failures: Readonly<Record<string, Failure>> = {
  ENOTFOUND: ofDns,
  ENODATA: ofDns,
  EAI_AGAIN: { reason: "MODEL_API_HOST_UNKNOWN", detail: "The DNS server does not answer." },
  ECONNREFUSED: unreachable("The connection was refused: nothing listens at that port."),
  EHOSTUNREACH: unreachable("There is no way to that host."),
  ENETUNREACH: unreachable("There is no way to that network."),
  ETIMEDOUT: unreachable("The host did not answer."),
  UND_ERR_CONNECT_TIMEOUT: unreachable("No connection within the time-out; often a firewall drops what is sent."),
  ECONNRESET: closedEarly,
  EPIPE: closedEarly,
  UND_ERR_SOCKET: closedEarly,
  UND_ERR_DESTROYED: { reason: "SHUTTING_DOWN", detail: "" },
  UND_ERR_CLOSED: { reason: "SHUTTING_DOWN", detail: "" },
  CERT_HAS_EXPIRED: unsafe("Its certificate has expired."),
  CERT_NOT_YET_VALID: unsafe("Its certificate is not valid yet; compare the clocks."),
  DEPTH_ZERO_SELF_SIGNED_CERT: unsafe("Its certificate is signed by itself; give it to PLATFORM_MODEL_API_CA_FILE."),
  SELF_SIGNED_CERT_IN_CHAIN: unsafe("Its authority is not known; give its certificate to PLATFORM_MODEL_API_CA_FILE."),
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unsafe("Its server does not send the whole chain of certificates."),
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unsafe("Its authority is not known; see PLATFORM_MODEL_API_CA_FILE."),
  ERR_TLS_CERT_ALTNAME_INVALID: unsafe("Its certificate is for another host name."),
  ERR_SSL_WRONG_VERSION_NUMBER: unsafe("That port speaks plain HTTP: write http:// instead of https://."),
  ERR_SSL_PACKET_LENGTH_TOO_LONG: unsafe("That port speaks plain HTTP: write http:// instead of https://."),
};

/** What went wrong before an answer began. */
export function toTransportFailure(error: unknown): AppError {
  if (error instanceof AppError) return error;
  const code = codeOf(error);
  const known = failures[code] ?? familyOf(code);
  const cause = new TransportError(error, code);
  if (known !== undefined) return new AppError(known.reason, { detail: known.detail }, cause);
  return new AppError("MODEL_API_UNREACHABLE", code === "" ? {} : { detail: `The system says ${code}.` }, cause);
}

/** What went wrong inside an answer. */
export function toInterruption(error: unknown): AppError {
  if (error instanceof AppError) return error;
  return new AppError("MODEL_API_INTERRUPTED", {}, new TransportError(error, codeOf(error)));
}

/** An error of the system or the HTTP client, without the bytes of answers that some of these carry. */
export class TransportError extends Error {
  override readonly name = "TransportError";
  /** Such as `ECONNREFUSED`; empty when there is none. */
  readonly code: string;

  constructor(error: unknown, code: string) {
    super(error instanceof Error ? `${error.name}: ${error.message}` : "unknown");
    this.code = code;
  }
}

function familyOf(code: string): Failure | undefined {
  if (code.startsWith("EAI_")) return ofDns;
  if (/^(ERR_SSL|ERR_TLS|CERT_|EPROTO|UNABLE_TO_)/.test(code)) return unsafe(`The encryption failed: ${code}.`);
  if (!/^(HPE|UND_ERR_HEADERS|UND_ERR_RESPONSE)/.test(code)) return undefined;
  const detail = "It does not speak HTTP at that port; a port for TLS needs https://.";
  return { reason: "MODEL_API_INCOMPATIBLE", detail };
}

// Several addresses tried give one error that holds the others.
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return "";
  if (error.name === "HTTPParserError") return "HPE";
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  if (code !== "" && code !== "UND_ERR_SOCKET") return code;
  const inner = error instanceof AggregateError ? (error.errors[0] as unknown) : error.cause;
  return (inner === undefined ? "" : codeOf(inner)) || code;
}
