import { createApiToken } from "@attune/contracts/rest/identity.ts";
import type { RouteContract } from "@attune/contracts/rest/define-route.ts";
import { type TenantRole, tenantRoles } from "@attune/contracts/rest/roles.ts";
import { getTenant } from "@attune/contracts/rest/tenants.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { callForRights, rightsRequests } from "./rights-requests.ts";
import { rightsTable } from "./rights-table.ts";
import { startTestPlatform, type TestPlatform, type TestUser } from "./start-test-platform.ts";

/** These end the caller's session or take the password that the others are called with. */
const spendsActor = new Set(["signOut", "changePassword"]);

let run: TestPlatform;
const actors = new Map<TenantRole, TestUser>();
let foreign: TestUser;
let tenantId: string;

beforeAll(async () => {
  run = await startTestPlatform();
  foreign = await run.addTenant("Foreign");
  tenantId = (await run.operator.client.call(getTenant, {})).body.id;
});
afterAll(async () => {
  await run[Symbol.asyncDispose]();
});

const contractOf = (id: string): RouteContract => {
  const found = run.platform.bindings.find(({ contract }) => contract.id === id)?.contract;
  if (found === undefined) throw new Error(`No operation has the id ${id}.`);
  return found;
};

const isSuccess = (status: number): boolean => status < 400;

async function actorOf(role: TenantRole): Promise<TestUser> {
  const actor = actors.get(role) ?? (await run.addMember(role));
  actors.set(role, actor);
  return actor;
}

const expected = { yes: undefined, no: "PERMISSION_DENIED", hidden: "RECORD_NOT_FOUND" } as const;

/** Without a cookie there is no session to resume, and without a provider no sign-in there, for anybody. */
const impossible: Readonly<Partial<Record<string, string>>> = {
  resumeSession: "SIGN_IN_REQUIRED",
  startOidc: "OIDC_NOT_CONFIGURED",
  finishOidc: "OIDC_NOT_CONFIGURED",
};

async function attempt(id: string, actor: TestUser, client = actor.client) {
  const contract = contractOf(id);
  const input = (await rightsRequests[id]?.(run, actor)) ?? {};
  return callForRights(client, contract, input);
}

test("every operation has a row, and every row an operation", () => {
  const ids = run.platform.bindings.map(({ contract }) => contract.id);
  expect(Object.keys(rightsTable).toSorted()).toEqual(ids.toSorted());
});

describe.each(Object.keys(rightsTable))("%s", (id) => {
  const row = rightsTable[id] as (typeof rightsTable)[string];

  test.each(tenantRoles)("as %s", async (role: TenantRole) => {
    const actor = spendsActor.has(id) ? await run.addMember(role) : await actorOf(role);
    const answer = await attempt(id, actor);
    const wanted = impossible[id] ?? expected[row[role]];
    expect({ isDone: isSuccess(answer.status), reason: answer.reason }).toEqual({
      isDone: wanted === undefined,
      reason: wanted,
    });
  });

  test("as the owner of another tenant, about a record of this one", async () => {
    if (row.foreign === "none") return;
    expect((await attempt(id, foreign)).reason).toBe(expected[row.foreign]);
  });

  test("as the owner of another tenant, who names this one", async () => {
    if (contractOf(id).access.kind !== "tenant") return;
    const client = run.clientOf(foreign.token, tenantId);
    expect((await attempt(id, foreign, client)).reason).toBe("PERMISSION_DENIED");
  });

  test("as somebody who is not signed in", async () => {
    if (contractOf(id).access.kind === "public") return;
    expect((await attempt(id, run.operator, run.stranger)).reason).toBe("SIGN_IN_REQUIRED");
  });

  test("with an API token that is for another action", async () => {
    const { access } = contractOf(id);
    if (access.kind !== "tenant") return;
    const scopes = [access.action === "read" ? ("use" as const) : ("read" as const)];
    const { body } = await run.operator.client.call(createApiToken, { body: { name: `no ${id}`, scopes } });
    expect((await attempt(id, run.operator, run.clientOf(body.token))).reason).toBe("PERMISSION_DENIED");
  });
});
