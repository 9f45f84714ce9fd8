import { generateKeyPairSync } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Provider } from "oidc-provider";

/** Somebody at the provider. */
export interface Person {
  readonly subject: string;
  readonly email: string;
  readonly isEmailVerified: boolean;
}

export interface OidcTestProvider {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Who signs in there, or presses "no". */
  person: Person | "refuses";
  /** Requests that the token endpoint got. */
  readonly tokenRequests: number;
  down(): Promise<void>;
  /** Again at the same address. */
  up(): Promise<void>;
}

const client = { id: "attune", secret: "a-client-secret-of-the-tests-0123456789" };

interface Options {
  readonly redirectUrl: string;
  /** Whether the ID token holds the e-mail address; else only the user info does. */
  readonly hasEmailInIdToken?: boolean;
}

/** A certified OpenID provider on a free port of this machine, at which everybody is `person`. */
export async function startOidcProvider({ redirectUrl, hasEmailInIdToken = true }: Options): Promise<OidcTestProvider> {
  let server = createServer();
  const port = await listen(server, 0);
  const issuer = `http://127.0.0.1:${port}`;
  const state = { person: "refuses" as Person | "refuses", tokenRequests: 0 };
  const people = new Map<string, Person>();
  const provider = makeProvider(issuer, { redirectUrl, people, hasEmailInIdToken });
  const serve = provider.callback();
  const handle: typeof serve = (request, response) => {
    if (request.url === "/token") state.tokenRequests++;
    if (request.url?.startsWith("/interaction/") !== true) return serve(request, response);
    const { person } = state;
    if (person !== "refuses") people.set(person.subject, person);
    const result = person === "refuses" ? { error: "access_denied" } : { login: { accountId: person.subject } };
    provider.interactionFinished(request, response, result).catch(() => response.destroy());
  };
  server.on("request", handle);
  return {
    issuer,
    clientId: client.id,
    clientSecret: client.secret,
    get person() {
      return state.person;
    },
    set person(person) {
      state.person = person;
    },
    get tokenRequests() {
      return state.tokenRequests;
    },
    down: () => close(server),
    up: async () => {
      server = createServer(handle);
      await listen(server, port);
    },
  };
}

interface Parts extends Required<Options> {
  readonly people: ReadonlyMap<string, Person>;
}

function makeProvider(issuer: string, { redirectUrl, people, hasEmailInIdToken }: Parts): Provider {
  const key = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey.export({ format: "jwk" });
  const provider: Provider = new Provider(issuer, {
    clients: [{ client_id: client.id, client_secret: client.secret, redirect_uris: [redirectUrl] }],
    jwks: { keys: [{ ...key, use: "sig", alg: "RS256" }] },
    cookies: { keys: ["of the tests"] },
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"] },
    scopes: ["openid", "email", "profile"],
    conformIdTokenClaims: !hasEmailInIdToken,
    features: { devInteractions: { enabled: false } },
    ttl: { AccessToken: 60, AuthorizationCode: 60, Grant: 60, IdToken: 60, Interaction: 60, Session: 60 },
    interactions: { url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    findAccount: (_: unknown, subject: string) => {
      const person = people.get(subject);
      return (
        person && {
          accountId: subject,
          claims: () => ({ sub: subject, email: person.email, email_verified: person.isEmailVerified }),
        }
      );
    },
    loadExistingGrant: (context: GrantContext) => grantAll(provider, context),
  });
  return provider;
}

interface GrantContext {
  readonly oidc: { readonly session: { accountId: string; grantIdFor(clientId: string): string | undefined } };
}

/** Nobody is asked whether they agree. */
async function grantAll(provider: Provider, { oidc: { session } }: GrantContext) {
  const known = session.grantIdFor(client.id);
  if (known !== undefined) return provider.Grant.find(known);
  const grant = new provider.Grant({ clientId: client.id, accountId: session.accountId });
  grant.addOIDCScope("openid email profile");
  await grant.save();
  return grant;
}

async function listen(server: Server, port: number): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(port, "127.0.0.1", resolve);
  });
  return (server.address() as AddressInfo).port;
}

const close = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
