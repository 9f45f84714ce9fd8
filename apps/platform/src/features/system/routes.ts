import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import {
  getSystemHealth,
  getSystemStatus,
  getSystemStorage,
  getTenantStorage,
  type SystemStorage,
} from "@attune/contracts/rest/system.ts";
import type { Logger } from "@attune/service-kit/create-logger.ts";
import { bindRoute, type RouteBinding } from "../../http/route-binding.ts";
import type { Database } from "../../infra/db/create-database.ts";
import type { ObjectStore } from "../../infra/storage/object-store.ts";
import type { SweepStatus } from "../../infra/sweep-record.ts";
import { measureKinds } from "../storage/index.ts";
import { createHealthCheck, worstOf } from "./health.ts";
import { createClockProbe } from "./probe-clock.ts";
import { createDatabaseProbe } from "./probe-database.ts";
import { createObjectStoreProbe } from "./probe-object-store.ts";
import { createParserProbe } from "./probe-parser.ts";
import { createSweepersProbe } from "./probe-sweepers.ts";
import { describeStorage, sumOf, toWireKind } from "./storage-report.ts";

export interface SystemPorts {
  readonly database: Database;
  /** The store that new objects are put into. */
  readonly store: ObjectStore;
  /** Address of the parser; undefined where there is none. */
  readonly parserUrl: string | undefined;
  /** Those of this node. Asked when somebody asks, since they begin to run later. */
  readonly listSweeps: () => readonly SweepStatus[];
  readonly logger: Logger;
}

/** How the platform and what it stands on are, and what is stored. */
export function bindSystemRoutes(ports: SystemPorts): RouteBinding[] {
  const { database, store, parserUrl, listSweeps, logger } = ports;
  const check = createHealthCheck({
    logger,
    probes: [
      createDatabaseProbe(database),
      createObjectStoreProbe(database, store),
      createParserProbe(parserUrl),
      createClockProbe(database),
      createSweepersProbe(listSweeps),
    ],
  });
  const node = { version: readVersion(), started_at: new Date().toISOString() };
  const checkAll = async () => {
    const checkedAt = new Date().toISOString();
    const parts = await check();
    return { state: worstOf(parts.map(({ state }) => state)), ...node, checked_at: checkedAt, parts };
  };
  return [
    bindRoute(getSystemHealth, async () => ({ body: { ...(await checkAll()), node: hostname() } })),
    bindRoute(getSystemStatus, async () => {
      const { parts, ...rest } = await checkAll();
      return { body: { ...rest, parts: parts.map(toStatus) } };
    }),
    bindRoute(getSystemStorage, async ({ queries, query }): Promise<{ body: SystemStorage }> => ({
      body: await describeStorage(queries, { store: store.name, olderThanSeconds: query.older_than_seconds }),
    })),
    bindRoute(getTenantStorage, async ({ queries, tenantId }) => {
      const kinds = await measureKinds(queries, tenantId);
      return { body: { ...sumOf(kinds), by_kind: kinds.map(toWireKind) } };
    }),
  ];
}

type PartReport = Awaited<ReturnType<ReturnType<typeof createHealthCheck>>>[number];

const toStatus = ({ part, state, findings, checked_at }: PartReport) => ({
  part,
  state,
  checked_at,
  findings: findings.map(({ reason, state: how, sentence, remedy }) => ({ reason, state: how, sentence, remedy })),
});

function readVersion(): string {
  const text = readFileSync(join(import.meta.dirname, "../../../package.json"), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}
