import { createLogger } from "@attune/service-kit/create-logger.ts";
import * as z from "zod";
import { createDatabase, type Database } from "../../infra/db/create-database.ts";
import { defineJobKind, type JobKind } from "./job-kind.ts";

const params = z.strictObject({});
const input = z.strictObject({ name: z.string() });
export type TestKind = JobKind<typeof params, typeof input>;

/** A kind whose items have a name. */
export const testKind = (kind: Pick<TestKind, "run"> & Partial<TestKind>): TestKind =>
  defineJobKind({ name: "test", params, input, ...kind });

export function openDatabase(url: string): Database {
  const settings = { url, connectTimeoutMs: 10_000, statementTimeoutMs: 30_000, maxConnections: 10 };
  return createDatabase(settings, createLogger("test", "silent"));
}
