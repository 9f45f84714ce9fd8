import { type ApiClient, createClient, ProblemError } from "@attune/contracts/rest/create-client.ts";

let token: string | undefined;
let tenantId: string | undefined;

/** Lives in memory only: a page that is loaded anew gets it back by the session's cookie, and no script can read that. */
export function setToken(next: string | undefined): void {
  token = next;
}

export function setTenant(next: string | undefined): void {
  tenantId = next;
}

/** A client that carries the token; over another way of sending where `fetch` cannot do it. */
export const createApi = (send?: typeof fetch): ApiClient =>
  createClient({ baseUrl: "", token: () => token, tenantId: () => tenantId, ...(send && { fetch: send }) });

/** The one client of the app; every request, downloads too, carries the token. */
export const api = createApi();

export const isProblem = (error: unknown, reason: string): boolean =>
  error instanceof ProblemError && error.problem.reason === reason;
