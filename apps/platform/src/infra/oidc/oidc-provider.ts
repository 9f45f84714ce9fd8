import { AppError } from "@attune/service-kit/app-error.ts";
import type { ClientAuth, Configuration, UserInfoResponse } from "openid-client";
import { isLoopback, type OidcSettings } from "./oidc-settings.ts";

const timeoutS = 10;
/** How long what the provider told of itself is believed, in milliseconds. */
const discoveryLifeMs = 3_600_000;
const attempts = 2;

/** What one sign-in is known by: each is random, and used once. */
export interface OidcChecks {
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
}

/** Who somebody is, as the provider told. */
export interface OidcIdentity {
  readonly issuer: string;
  readonly subject: string;
  /** As it was told, and only where the provider says that it is the person's own. */
  readonly verifiedEmail: string | undefined;
}

export interface OidcProvider {
  readonly name: string;
  makeChecks(): Promise<OidcChecks>;
  /** Where to send the browser. @throws AppError OIDC_UNAVAILABLE */
  authorizationUrl(checks: OidcChecks): Promise<URL>;
  /**
   * Takes the parameters that the browser came back with.
   * @throws AppError OIDC_UNAVAILABLE, OIDC_FAILED
   */
  identify(answer: URLSearchParams, checks: OidcChecks): Promise<OidcIdentity>;
}

/** An OpenID provider. It is asked about itself at the first sign-in, and again while it does not answer. */
export function createOidcProvider(settings: OidcSettings): OidcProvider {
  const discover = createDiscovery(settings);
  return {
    name: settings.name,
    makeChecks: async () => {
      const { randomNonce, randomPKCECodeVerifier, randomState } = await import("openid-client");
      return { state: randomState(), nonce: randomNonce(), codeVerifier: randomPKCECodeVerifier() };
    },
    authorizationUrl: async ({ state, nonce, codeVerifier }) => {
      const configuration = await discover();
      const { buildAuthorizationUrl, calculatePKCECodeChallenge } = await import("openid-client");
      return buildAuthorizationUrl(configuration, {
        redirect_uri: settings.redirectUrl,
        scope: "openid email profile",
        state,
        nonce,
        code_challenge: await calculatePKCECodeChallenge(codeVerifier),
        code_challenge_method: "S256",
      });
    },
    identify: async (answer, checks) => {
      const configuration = await discover();
      return redeem(configuration, new URL(`${settings.redirectUrl}?${answer.toString()}`), checks).catch(
        (error: unknown) => {
          throw new AppError(isUnreachable(error) ? "OIDC_UNAVAILABLE" : "OIDC_FAILED", {}, error);
        },
      );
    },
  };
}

function createDiscovery(settings: OidcSettings): () => Promise<Configuration> {
  let known: { readonly configuration: Promise<Configuration>; readonly untilMs: number } | undefined;
  return () => {
    if (known === undefined || performance.now() > known.untilMs) {
      const configuration = askProvider(settings);
      const asked = { configuration, untilMs: performance.now() + discoveryLifeMs };
      known = asked;
      // The next sign-in asks again.
      configuration.catch(() => {
        if (known === asked) known = undefined;
      });
    }
    return known.configuration;
  };
}

async function askProvider({ issuer, clientId, clientSecret }: OidcSettings): Promise<Configuration> {
  const { allowInsecureRequests, discovery, None } = await import("openid-client");
  const authentication = clientSecret === undefined ? None() : await authenticateWith(clientSecret.reveal());
  const execute = issuer.protocol === "http:" && isLoopback(issuer.hostname) ? [allowInsecureRequests] : [];
  for (let attempt = 1; ; attempt++) {
    try {
      return await discovery(issuer, clientId, undefined, authentication, { execute, timeout: timeoutS });
    } catch (error) {
      if (attempt === attempts) throw new AppError("OIDC_UNAVAILABLE", {}, error);
    }
  }
}

/** By the header, which every provider must know, unless this one tells that it takes the body only. */
async function authenticateWith(secret: string): Promise<ClientAuth> {
  const { ClientSecretBasic, ClientSecretPost } = await import("openid-client");
  const [basic, post] = [ClientSecretBasic(secret), ClientSecretPost(secret)];
  return (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
    return (methods.includes("client_secret_basic") ? basic : post)(server, ...rest);
  };
}

/** Signature, issuer, audience, times, nonce, state and PKCE are checked by the library, all of them. */
async function redeem(configuration: Configuration, answer: URL, checks: OidcChecks): Promise<OidcIdentity> {
  const { authorizationCodeGrant, fetchUserInfo } = await import("openid-client");
  const tokens = await authorizationCodeGrant(configuration, answer, {
    expectedState: checks.state,
    expectedNonce: checks.nonce,
    pkceCodeVerifier: checks.codeVerifier,
    idTokenExpected: true,
  });
  const claims = tokens.claims();
  if (claims === undefined) throw new Error("The provider sent no ID token.");
  const needsMore = claims["email"] === undefined && configuration.serverMetadata().userinfo_endpoint !== undefined;
  const told = needsMore ? await fetchUserInfo(configuration, tokens.access_token, claims.sub) : claims;
  return { issuer: claims.iss, subject: claims.sub, verifiedEmail: verifiedEmailOf(told) };
}

const verifiedEmailOf = (told: Pick<UserInfoResponse, string>): string | undefined =>
  typeof told["email"] === "string" && told["email_verified"] === true ? told["email"] : undefined;

/** Whether the provider was not reached, or says itself that it cannot; then trying again may help. */
function isUnreachable(error: unknown): boolean {
  for (let at = error, depth = 0; at !== undefined && depth < 5; depth++) {
    const { name, code, status, cause } = at as { name?: string; code?: string; status?: number; cause?: unknown };
    if (name === "TypeError" || code === "OAUTH_TIMEOUT" || (status ?? 0) >= 500) return true;
    at = cause;
  }
  return false;
}
