import { getSession, resumeSession, signOut, type startedSessionSchema } from "@attune/contracts/rest/identity.ts";
import type { TenantRole } from "@attune/contracts/rest/roles.ts";
import { createContext, type ReactNode, useContext, useMemo, useState } from "react";
import { useEffect } from "react";
import type * as z from "zod";
import { api, isProblem, setTenant, setToken } from "./api.ts";

export type StartedSession = z.infer<typeof startedSessionSchema>;
export type Session = Omit<StartedSession, "token">;

const tenantKey = "attune.tenant";

export interface SessionState {
  readonly status: "loading" | "signed_out" | "signed_in" | "unreachable";
  readonly session: Session | undefined;
  readonly tenant: { readonly id: string; readonly name: string; readonly role: TenantRole } | undefined;
  /** Whether the platform stopped taking the token while the page was in use. */
  readonly isExpired: boolean;
  readonly error: unknown;
  readonly start: (started: StartedSession) => void;
  readonly reload: () => Promise<void>;
  readonly expire: () => void;
  /** Ends the session. Rejects when the platform did not end it. */
  readonly end: () => Promise<void>;
  readonly chooseTenant: (id: string) => void;
}

const SessionContext = createContext<SessionState | undefined>(undefined);

export function useSession(): SessionState {
  const state = useContext(SessionContext);
  if (state === undefined) throw new Error("useSession is used outside of SessionProvider.");
  return state;
}

/** Who is signed in. */
export function SessionProvider({ children }: { readonly children: ReactNode }) {
  const [status, setStatus] = useState<SessionState["status"]>("loading");
  const [session, setSession] = useState<Session>();
  const [chosen, setChosen] = useState(() => localStorage.getItem(tenantKey) ?? undefined);
  const [isExpired, setIsExpired] = useState(false);
  const [error, setError] = useState<unknown>();

  const state = useMemo((): SessionState => {
    const tenant = session?.tenants.find(({ id }) => id === chosen) ?? session?.tenants[0];
    setTenant(tenant?.id);
    const start = ({ token, ...rest }: StartedSession): void => {
      setToken(token);
      setSession(rest);
      setIsExpired(false);
      setStatus("signed_in");
    };
    return {
      status,
      session,
      tenant,
      isExpired,
      error,
      start,
      reload: async () => setSession((await api.call(getSession, {})).body),
      expire: () => setIsExpired(true),
      end: async () => {
        await api.call(signOut, {}).catch((failure: unknown) => {
          // There is no session to end. After any other failure it goes on, and the cookie would bring it back.
          if (!isProblem(failure, "SIGN_IN_REQUIRED")) throw failure;
        });
        setToken(undefined);
        setSession(undefined);
        setStatus("signed_out");
      },
      chooseTenant: (id) => {
        localStorage.setItem(tenantKey, id);
        setChosen(id);
      },
    };
  }, [status, session, chosen, isExpired, error]);

  useEffect(() => {
    api.call(resumeSession, {}).then(
      ({ body }) => state.start(body),
      (failure: unknown) => {
        setError(failure);
        setStatus(isProblem(failure, "SIGN_IN_REQUIRED") ? "signed_out" : "unreachable");
      },
    );
    // Only when the page is loaded.
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- the session is resumed once
  }, []);

  return <SessionContext value={state}>{children}</SessionContext>;
}

const ranks: readonly TenantRole[] = ["viewer", "editor", "admin", "owner"];

/** Whether the role in the chosen tenant is at least this one; what may be done is judged by the platform. */
export function useHasRole(least: TenantRole): boolean {
  const { tenant } = useSession();
  return tenant !== undefined && ranks.indexOf(tenant.role) >= ranks.indexOf(least);
}
