import { randomUUID } from "node:crypto";
import { changeRole, getUser } from "@attune/contracts/rest/identity.ts";
import { createModel, listModels } from "@attune/contracts/rest/models.ts";
import { createTenant, getTenant, listTenants, renameTenant } from "@attune/contracts/rest/tenants.ts";
import type { TestPlatform, TestUser } from "../../apps/platform/src/testing/start-test-platform.ts";
import { atOnce, callers, inAnyCase, isDone, judgeOne } from "./at-once.ts";
import { raceDatasetNames, raceRowEdits } from "./dataset-races.ts";

/** One round; it tells what must not have happened, and nothing when all is well. */
export type Race = (round: number) => Promise<string | undefined>;

/** Everything that several callers may do at once and of which one may win only. */
export async function makeRaces(run: TestPlatform): Promise<Readonly<Record<string, Race>>> {
  const tenant = await run.addTenant("Races");
  const second = await run.addMember("owner", tenant);
  const member = await run.addMember("viewer", tenant);
  return {
    "names of tenants": (round) => raceTenantNames(run.operator, round),
    "names of models": (round) => raceModelNames(tenant, round),
    "names of datasets": (round) => raceDatasetNames(tenant, round),
    "rows of one version": (round) => raceRowEdits(tenant, round),
    "renames on one version": (round) => raceRenames(tenant, round),
    "roles on one version": () => raceRoles(tenant, member),
    "the last owner": () => raceLastOwner(run, [tenant, second]),
    "one Idempotency-Key, one request": (round) => raceKey(tenant, round),
    "one Idempotency-Key, two requests": (round) => raceKeyOfTwo(tenant, round),
  };
}

async function raceTenantNames({ client }: TestUser, round: number): Promise<string | undefined> {
  const name = `Race ${round}`;
  const outcomes = await atOnce((caller) =>
    client.call(createTenant, {
      body: {
        name: inAnyCase(name, caller),
        owner_email: `race-${round}-${caller}@example.com`,
        owner_display_name: "Owner",
      },
    }),
  );
  const fault = judgeOne(outcomes, "TENANT_NAME_TAKEN");
  if (fault !== undefined || round > 100) return fault;
  const { body } = await client.call(listTenants, { query: { limit: 200 } });
  const made = body.items.filter((one) => one.name.toLowerCase() === name.toLowerCase()).length;
  return made === 1 ? undefined : `${made} tenants of one name`;
}

async function raceModelNames({ client }: TestUser, round: number): Promise<string | undefined> {
  const name = `Race ${round}`;
  const outcomes = await atOnce((caller) =>
    client.call(createModel, { body: { kind: "base", name: inAnyCase(name, caller) } }),
  );
  return judgeOne(outcomes, "MODEL_NAME_TAKEN") ?? countModels(client, name);
}

async function countModels(client: TestUser["client"], name: string): Promise<string | undefined> {
  const { body } = await client.call(listModels, { query: { search: name, limit: 200 } });
  const made = body.items.filter((one) => one.name.toLowerCase() === name.toLowerCase()).length;
  return made === 1 ? undefined : `${made} models of one name`;
}

async function raceRenames({ client }: TestUser, round: number): Promise<string | undefined> {
  const { etag = "", body: before } = await client.call(getTenant, {});
  const outcomes = await atOnce((caller) =>
    client.call(renameTenant, { body: { name: `Races ${round}-${caller}` }, ifMatch: etag }),
  );
  const { body: after } = await client.call(getTenant, {});
  const step = after.version - before.version;
  return judgeOne(outcomes, "VERSION_CONFLICT") ?? (step === 1 ? undefined : `the version went on by ${step}`);
}

const rolesOf = ["viewer", "editor", "admin"] as const;

async function raceRoles({ client }: TestUser, member: TestUser): Promise<string | undefined> {
  const params = { user_id: member.id };
  const { etag = "" } = await client.call(getUser, { params });
  const outcomes = await atOnce((caller) =>
    client.call(changeRole, { params, body: { role: rolesOf[caller % 3] ?? "viewer" }, ifMatch: etag }),
  );
  return judgeOne(outcomes, "VERSION_CONFLICT");
}

/** Both owners are made viewers by both, over and over: one stays. */
async function raceLastOwner({ platform }: TestPlatform, owners: readonly TestUser[]): Promise<string | undefined> {
  const { pool } = platform.database;
  const ids = owners.map(({ id }) => id);
  await pool.query("update memberships set role = 'owner' where user_id = any($1)", [ids]);
  const outcomes = await atOnce(async (caller) => {
    const by = owners[caller % 2]?.client;
    const params = { user_id: ids[(caller >> 1) % 2] ?? "" };
    const { etag = "" } = (await by?.call(getUser, { params })) ?? {};
    return by?.call(changeRole, { params, body: { role: "viewer" }, ifMatch: etag });
  });
  const { rows } = await pool.query("select 1 from memberships where user_id = any($1) and role = 'owner'", [ids]);
  await pool.query("update memberships set role = 'owner' where user_id = any($1)", [ids]);
  const expected = new Set(["LAST_OWNER", "VERSION_CONFLICT", "PERMISSION_DENIED"]);
  const others = outcomes.flatMap((one) => (isDone(one) || expected.has(one.reason) ? [] : one.reason));
  return rows.length === 1 && others.length === 0 ? undefined : `${rows.length} owners left; ${others.join(", ")}`;
}

async function raceKey({ client }: TestUser, round: number): Promise<string | undefined> {
  const name = `Key ${round}`;
  const idempotencyKey = randomUUID();
  const outcomes = await atOnce(
    async () => (await client.call(createModel, { body: { kind: "base", name }, idempotencyKey })).body,
  );
  const answers = new Set(outcomes.map((one) => (isDone(one) ? JSON.stringify(one.value) : one.reason)));
  if (answers.size !== 1 || !outcomes.every(isDone)) return `answers: ${[...answers].join(" | ")}`;
  return countModels(client, name);
}

async function raceKeyOfTwo({ client }: TestUser, round: number): Promise<string | undefined> {
  const idempotencyKey = randomUUID();
  const names = [`Either ${round}`, `Or ${round}`] as const;
  const outcomes = await atOnce(async (caller) => {
    const { body } = await client.call(createModel, {
      body: { kind: "base", name: names[caller % 2] ?? "" },
      idempotencyKey,
    });
    return body.id;
  });
  const ids = new Set(outcomes.flatMap((one) => (isDone(one) ? [one.value] : [])));
  const refused = outcomes.filter((one) => !isDone(one) && one.reason === "IDEMPOTENCY_KEY_REUSED").length;
  const isRight = ids.size === 1 && refused === callers / 2;
  return isRight ? undefined : `${ids.size} records, ${refused} refused: ${JSON.stringify(outcomes)}`;
}
