import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ApiClient, createClient, ProblemError } from "@attune/contracts/rest/create-client.ts";
import { addUser, changePassword, signIn } from "@attune/contracts/rest/identity.ts";
import type { TenantRole } from "@attune/contracts/rest/roles.ts";
import { createTenant } from "@attune/contracts/rest/tenants.ts";
import { createLogger } from "@attune/service-kit/create-logger.ts";
import { createTestDatabase } from "@attune/testkit/test-database.ts";
import { assemblePlatform, type Platform } from "../assemble-platform.ts";
import { loadConfig } from "../config.ts";
import { makeFirstAdmin } from "../features/identity/index.ts";
import { migrate } from "../infra/db/migrate.ts";

export interface TestUser {
  readonly id: string;
  readonly email: string;
  readonly password: string;
  readonly token: string;
  readonly client: ApiClient;
}

export interface TestPlatform extends AsyncDisposable {
  readonly platform: Platform;
  readonly databaseUrl: string;
  readonly baseUrl: string;
  /** Of somebody who is not signed in. */
  readonly stranger: ApiClient;
  /** Owner of the first tenant and operator of the platform. */
  readonly operator: TestUser;
  clientOf(token: string, tenantId?: string): ApiClient;
  /** Adds a member to a tenant, whose owner `by` is; by default to the first one. */
  addMember(role: TenantRole, by?: TestUser): Promise<TestUser>;
  /** Makes another tenant and gives its owner. */
  addTenant(name: string): Promise<TestUser>;
}

const password = "a test's own password";
let count = 0;

/** A platform on a database of its own, listening on a free port of this machine. */
export async function startTestPlatform(environment: Readonly<Record<string, string>> = {}): Promise<TestPlatform> {
  const database = await createTestDatabase({
    migrationsFolder: join(import.meta.dirname, "../../drizzle"),
    migrate: (url) => migrate(url, { connectTimeoutMs: 10_000, lockTimeoutMs: 30_000 }),
  });
  const folder = await mkdtemp(join(tmpdir(), "attune-platform-"));
  const config = loadConfig({
    PLATFORM_PORT: "0",
    PLATFORM_STORE_PATH: folder,
    DATABASE_URL: database.url,
    PLATFORM_LOG_LEVEL: "silent",
    PLATFORM_SECRET_KEY: Buffer.alloc(32, "k").toString("base64"),
    ...environment,
  });
  const platform = await assemblePlatform(config, createLogger("test", config.logLevel));
  const baseUrl = await platform.server.listen({ host: "127.0.0.1", port: 0 });
  const clientOf = (token: string | undefined, tenantId?: string): ApiClient =>
    createClient({ baseUrl, token: () => token, tenantId: () => tenantId });
  const enter = (email: string, oneTimePassword: string) => replacePassword(clientOf, email, oneTimePassword);
  const first = await makeFirstAdmin(platform.database, config.identity.adminEmail);
  if (first === undefined) throw new Error("The database of the test has users already.");
  const operator = await enter(first.email, first.password);
  return {
    platform,
    databaseUrl: database.url,
    baseUrl,
    stranger: clientOf(undefined),
    operator,
    clientOf,
    addMember: async (role, by = operator) => {
      const email = `${role}-${++count}@example.com`;
      const { body } = await by.client.call(addUser, { body: { email, display_name: `The ${role}`, role } });
      return enter(email, body.one_time_password ?? password);
    },
    addTenant: async (name) => {
      const email = `owner-${++count}@example.com`;
      const { body } = await operator.client.call(createTenant, {
        body: { name, owner_email: email, owner_display_name: "An owner" },
      });
      return enter(email, body.one_time_password ?? password);
    },
    [Symbol.asyncDispose]: async () => {
      await platform.close();
      await database.drop();
      await rm(folder, { recursive: true });
    },
  };
}

type ClientOf = (token: string | undefined) => ApiClient;

async function replacePassword(clientOf: ClientOf, email: string, oneTimePassword: string): Promise<TestUser> {
  const { body } = await clientOf(undefined).call(signIn, { body: { email, password: oneTimePassword } });
  const client = clientOf(body.token);
  await client.call(changePassword, { body: { current_password: oneTimePassword, new_password: password } });
  return { id: body.user.id, email, password, token: body.token, client };
}

/** The reason of the problem that a call ends with; `undefined` when it succeeds. */
export async function reasonOf(call: Promise<unknown>): Promise<string | undefined> {
  try {
    await call;
    return undefined;
  } catch (error) {
    if (error instanceof ProblemError) return error.problem.reason;
    throw error;
  }
}
