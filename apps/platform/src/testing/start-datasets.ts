import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ApiClient, createClient } from "@attune/contracts/rest/create-client.ts";
import type { TenantRole } from "@attune/contracts/rest/roles.ts";
import { createId } from "@attune/service-kit/create-id.ts";
import { createLogger } from "@attune/service-kit/create-logger.ts";
import { createTestDatabase } from "@attune/testkit/test-database.ts";
import { createServer } from "../http/create-server.ts";
import type { Principal } from "../http/principal.ts";
import type { Database } from "../infra/db/create-database.ts";
import { migrate } from "../infra/db/migrate.ts";
import { authorise } from "../features/access/index.ts";
import { appendOperation } from "../features/audit/index.ts";
import type { Storage } from "../features/storage/index.ts";
import { addTenant, startStorage } from "../features/storage/start-storage.fixture.ts";
import { bindDatasetRoutes } from "../features/datasets/index.ts";

/** Small, so that a test comes to them. */
export const uploads = { maxBytes: 2 ** 31, maxOpen: 30, leaseMs: 2_000, unfinishedMs: 3_600_000, stallMs: 60_000 };

export interface StartedDatasets extends AsyncDisposable {
  readonly database: Database;
  readonly storage: Storage;
  readonly tenantId: string;
  readonly baseUrl: string;
  /** The token of `clientOf(role)`. */
  tokenOf(role: TenantRole): string;
  /** A client with the rights of a role, in the tenant of the test or in another one. */
  clientOf(role: TenantRole, tenantId?: string): ApiClient;
  addTenant(): Promise<string>;
}

/** The routes of datasets on a database and a store of their own. A token is `role:tenant:user`. */
export async function startDatasets(): Promise<StartedDatasets> {
  const testDatabase = await createTestDatabase({
    migrationsFolder: join(import.meta.dirname, "../../drizzle"),
    migrate: (url) => migrate(url, { connectTimeoutMs: 10_000, lockTimeoutMs: 30_000 }),
  });
  const path = await mkdtemp(join(tmpdir(), "attune-datasets-"));
  const started = await startStorage({ databaseUrl: testDatabase.url, path });
  const { storage, database } = started;
  const logger = createLogger("test", "silent");
  const server = await createServer(bindDatasetRoutes({ database, storage, appendOperation, uploads }), {
    database,
    logger,
    appendOperation,
    authorise,
    authenticate: async ({ headers }) => toPrincipal(headers.authorization ?? ""),
    settings: {
      maxBodyBytes: 2 ** 20,
      isBehindProxy: false,
      webFolder: undefined,
      rate: { perSecond: 1e6, burst: 1e6 },
    },
    takeOfUser: () => undefined,
    isStopping: () => false,
  });
  const baseUrl = await server.listen({ host: "127.0.0.1", port: 0 });
  const tenantId = await addTenant(database);
  const users = new Map<string, string>();
  const tokenOf = (role: TenantRole, tenant = tenantId): string => {
    const user = users.get(role + tenant) ?? createId();
    users.set(role + tenant, user);
    return `${role}:${tenant}:${user}`;
  };
  return {
    database,
    storage,
    tenantId,
    baseUrl,
    tokenOf,
    clientOf: (role, tenant) => createClient({ baseUrl, token: () => tokenOf(role, tenant) }),
    addTenant: () => addTenant(database),
    [Symbol.asyncDispose]: async () => {
      await server.close();
      await started[Symbol.asyncDispose]();
      await testDatabase.drop();
      await rm(path, { recursive: true });
    },
  };
}

function toPrincipal(authorization: string): Principal {
  const [role, tenantId = "", userId = ""] = authorization.replace("Bearer ", "").split(":");
  return {
    userId,
    email: `${role}@example.com`,
    credential: { kind: "session", id: userId },
    tenant: { id: tenantId, role: role as TenantRole },
    mustChangePassword: false,
  };
}
