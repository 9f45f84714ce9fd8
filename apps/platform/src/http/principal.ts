import type { Action } from "@attune/contracts/rest/define-route.ts";
import type { PlatformRole, TenantRole } from "@attune/contracts/rest/roles.ts";

/** Who makes a request, as the token told. */
export interface Principal {
  readonly userId: string;
  readonly email: string;
  readonly credential: {
    readonly kind: "session" | "api_token";
    readonly id: string;
    /** Of an API token: the actions it is for, on top of what its user may do. */
    readonly scopes?: readonly Action[];
  };
  /** The tenant that the request is about. */
  readonly tenant?: { readonly id: string; readonly role: TenantRole };
  readonly platformRole?: PlatformRole;
  /** Whether nothing may be done before a new password is set. */
  readonly mustChangePassword: boolean;
}

export interface Credentials {
  readonly token: string;
  /** Content of the header Attune-Tenant. */
  readonly tenantId: string | undefined;
}
