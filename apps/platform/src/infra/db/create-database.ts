import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "@attune/service-kit/create-logger.ts";
import { drizzle, type NodePgDatabase, type NodePgTransaction } from "drizzle-orm/node-postgres";
import type { ExtractTablesWithRelations } from "drizzle-orm";
import pg from "pg";
import { withHooks } from "./before-commit.ts";

type NoSchema = Record<string, never>;

export interface DatabaseSettings {
  readonly url: string;
  /** Time to get a connection, made anew or given back by another request, in milliseconds. */
  readonly connectTimeoutMs: number;
  /** Time that one statement may take, in milliseconds. */
  readonly statementTimeoutMs: number;
  readonly maxConnections: number;
}

export type Transaction = NodePgTransaction<NoSchema, ExtractTablesWithRelations<NoSchema>>;
/** What a query runs on: the pool, or one transaction. */
export type Queries = NodePgDatabase<NoSchema> | Transaction;

export interface Database {
  readonly queries: NodePgDatabase<NoSchema>;
  readonly pool: pg.Pool;
  /** Runs `work` in one transaction, which is rolled back when it throws. */
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

const releaseTimeoutMs = 1000;

/** The pool of connections; none is made before the first query. */
export function createDatabase(settings: DatabaseSettings, logger: Logger): Database {
  const pool = new pg.Pool({
    connectionString: settings.url,
    max: settings.maxConnections,
    connectionTimeoutMillis: settings.connectTimeoutMs,
    statement_timeout: settings.statementTimeoutMs,
    // The server may be unable to tell that the time is over: cut, stopped, or on the other side of a dead network.
    query_timeout: settings.statementTimeoutMs + settings.connectTimeoutMs,
    idle_in_transaction_session_timeout: settings.statementTimeoutMs,
    keepAlive: true,
    application_name: "attune-platform",
  });
  // A connection that breaks while nobody uses it; the next query gets another one or tells.
  pool.on("error", (error) => logger.warn({ error: error.message }, "an idle database connection broke"));
  // One that breaks between two statements of a transaction: the next statement tells, but without this the process would end.
  pool.on("connect", (client) => client.on("error", () => undefined));
  const queries = drizzle(pool);
  return {
    queries,
    pool,
    transaction: (work) => runTransaction(pool, work),
    // A statement whose request was cut off would hold it for as long as statements may take.
    close: () => Promise.race([pool.end(), sleep(releaseTimeoutMs, undefined, { ref: false })]),
  };
}

/**
 * The transaction of drizzle on one connection of the pool. On a pool, drizzle keeps a connection for ever that breaks at the
 * beginning, gives back one whose end is unknown, and tells that a rollback failed in place of why it was tried.
 */
async function runTransaction<T>(pool: pg.Pool, work: (tx: Transaction) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let failure: { readonly error: unknown } | undefined;
  let isClean = false;
  try {
    const result = await drizzle(client).transaction((tx) =>
      withHooks(tx, work).catch((error: unknown) => {
        failure = { error };
        throw error;
      }),
    );
    isClean = true;
    return result;
  } catch (error) {
    isClean = failure !== undefined && failure.error === error;
    throw failure === undefined ? error : failure.error;
  } finally {
    client.release(!isClean);
  }
}
