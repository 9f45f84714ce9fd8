import { existsSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "@attune/service-kit/app-error.ts";
import type { Logger } from "@attune/service-kit/create-logger.ts";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { PlatformConfig } from "./config.ts";
import { addStorageLinks } from "./add-storage-links.ts";
import { assembleJobs } from "./assemble-jobs.ts";
import { appendOperation } from "./append-operation.ts";
import { authorise, bindAccessRoutes } from "./features/access/index.ts";
import { auditRoutes } from "./features/audit/index.ts";
import { bindDatasetRoutes, findDataset, sweepChunks, sweepUploads } from "./features/datasets/index.ts";
import { bindEventRoutes, type EventHub, sweepEvents } from "./features/events/index.ts";
import {
  apiTokenRoutes,
  authenticate,
  bindOidcRoutes,
  bindSessionRoutes,
  isMember,
  sweepAttempts,
  sweepOidcRequests,
  sweepSessions,
  userRoutes,
} from "./features/identity/index.ts";
import { sweepJobs } from "./features/jobs/index.ts";
import { bindModelRoutes, findModel } from "./features/models/index.ts";
import { createStorage, measureObjects, type Storage } from "./features/storage/index.ts";
import { bindSystemRoutes } from "./features/system/index.ts";
import { tenantRoutes } from "./features/tenants/index.ts";
import { createServer, type ServerSettings } from "./http/create-server.ts";
import { sweepIdempotencyKeys } from "./http/idempotency.ts";
import type { Principal } from "./http/principal.ts";
import { createRateLimit } from "./http/rate-limit.ts";
import type { RouteBinding } from "./http/route-binding.ts";
import { createDatabase, type Database } from "./infra/db/create-database.ts";
import { createMetrics, type PlatformMetrics } from "./infra/metrics/create-metrics.ts";
import { createModelApis, type ModelApis } from "./infra/model-api/create-model-apis.ts";
import { createOidcProvider } from "./infra/oidc/oidc-provider.ts";
import { type ObjectStores, openObjectStores } from "./infra/storage/object-stores.ts";
import { createSecretBox, type SecretBox } from "./infra/secrets/secret-box.ts";
import { openSecretKeys } from "./infra/secrets/secret-keys.ts";
import { openEventHub } from "./open-event-hub.ts";
import { startSweeps } from "./start-sweeps.ts";

export interface Platform {
  readonly server: FastifyInstance;
  readonly database: Database;
  readonly storage: Storage;
  readonly bindings: readonly RouteBinding[];
  readonly metrics: PlatformMetrics;
  /** Takes no more requests, waits for those under way, and lets the database go. */
  close(): Promise<void>;
}

/** Makes the platform of its parts; nothing listens yet. */
export async function assemblePlatform(config: PlatformConfig, logger: Logger): Promise<Platform> {
  const parts = await openParts(config, logger);
  const { database, storage, stores, modelApis, eventHub } = parts;
  const metrics = createPlatformMetrics(database);
  const jobs = assembleJobs({ config, database, storage, stores, logger, appendOperation });
  const bindings = [
    ...jobs.bindings,
    ...bindAll(config, parts),
    ...bindSystemRoutes({
      database,
      store: stores.current,
      parserUrl: config.parserUrl,
      listSweeps: () => [executor.status(), storageSweep.status(), ...sweeps.list()],
      logger,
    }),
  ];
  let isStopping = false;
  const server = await createServer(bindings, {
    database,
    logger,
    metrics,
    appendOperation,
    authorise,
    authenticate: (request) => authenticateRequest(database, request),
    settings: toServerSettings(config, logger),
    takeOfUser: createRateLimit(config.rate),
    isStopping: () => isStopping,
  });
  await addStorageLinks(server, stores.current);
  const storageSweep = storage.startSweep();
  const executor = jobs.start();
  const sweeps = startSweeps(expiringBy(config, storage), database, logger);
  return {
    server,
    database,
    storage,
    bindings,
    metrics,
    close: async () => {
      isStopping = true;
      sweeps.stop();
      // They have no end of their own; whoever reads one resumes it elsewhere.
      await eventHub.close();
      await Promise.all([server.close(), executor.stop(config.drainTimeoutMs)]);
      await storageSweep.stop();
      await stores.close();
      await modelApis.close();
      await database.close();
    },
  };
}

async function openParts(config: PlatformConfig, logger: Logger): Promise<Parts> {
  const secretBox = createSecretBox(openSecretKeys(config.secretKeys));
  const database = createDatabase(config.database, logger);
  const modelApis = createModelApis({ settings: config.modelApi });
  const stores = await openObjectStores(config.storage);
  const storage = createStorage({ database, stores, policy: config.storagePolicy, logger });
  return { secretBox, database, modelApis, stores, storage, eventHub: openEventHub(config, database, logger) };
}

function toServerSettings(config: PlatformConfig, logger: Logger): ServerSettings {
  const { maxBodyBytes, isBehindProxy, rate, drainTimeoutMs } = config;
  return { maxBodyBytes, isBehindProxy, rate, drainTimeoutMs, webFolder: findWebApp(logger) };
}

const createPlatformMetrics = ({ pool, queries }: Database): PlatformMetrics =>
  createMetrics({ readPool: () => pool, countObjects: () => measureObjects(queries) });

/** What is removed when its time is over. */
const expiringBy = (config: PlatformConfig, storage: Storage): Parameters<typeof startSweeps>[0] => ({
  "idempotency keys": sweepIdempotencyKeys,
  "sign-in attempts": sweepAttempts,
  "sign-ins at the provider": sweepOidcRequests,
  sessions: sweepSessions,
  "chunks of datasets": sweepChunks,
  "jobs that ended": sweepJobs,
  events: (tx) => sweepEvents(tx, config.eventRetention),
  "uploads into datasets": (tx) => sweepUploads(tx, storage, config.uploads),
});

/** The web app that `npm run build --workspace apps/web` made. */
function findWebApp(logger: Logger): string | undefined {
  const folder = join(import.meta.dirname, "../../web/dist");
  if (existsSync(join(folder, "index.html"))) return folder;
  logger.warn({ folder }, "the web app is not built; only the API is served");
  return undefined;
}

interface Parts {
  readonly database: Database;
  readonly stores: ObjectStores;
  readonly storage: Storage;
  readonly modelApis: ModelApis;
  readonly secretBox: SecretBox;
  readonly eventHub: EventHub;
}

function bindAll({ identity, oidc, isSecure, uploads }: PlatformConfig, parts: Parts): RouteBinding[] {
  const { database, storage, modelApis, secretBox, eventHub } = parts;
  const session = { database, appendOperation, sessionLifeMs: identity.sessionLifeMs, isSecure };
  return [
    ...bindSessionRoutes({ ...session, oidcName: oidc?.name }),
    ...bindOidcRoutes({ ...session, provider: oidc && createOidcProvider(oidc) }),
    ...tenantRoutes,
    ...userRoutes,
    ...apiTokenRoutes,
    ...auditRoutes,
    ...bindDatasetRoutes({ database, storage, appendOperation, uploads }),
    ...bindModelRoutes({ database, appendOperation, modelApis, secretBox }),
    ...bindAccessRoutes({
      findProtected: { dataset: findDataset, model: findModel },
      isMember,
    }),
    ...bindEventRoutes(eventHub),
  ];
}

async function authenticateRequest({ queries }: Database, request: FastifyRequest): Promise<Principal | undefined> {
  const header = request.headers.authorization;
  if (header === undefined) return undefined;
  const token = /^Bearer ([^\s]+)$/i.exec(header)?.[1];
  if (token === undefined) throw new AppError("SIGN_IN_REQUIRED");
  const tenantId = request.headers["attune-tenant"];
  if (
    tenantId !== undefined &&
    (typeof tenantId !== "string" || !/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(tenantId))
  ) {
    throw new AppError("PERMISSION_DENIED", { detail: "Attune-Tenant is not the id of a tenant of yours." });
  }
  return authenticate(queries, { token, tenantId });
}
