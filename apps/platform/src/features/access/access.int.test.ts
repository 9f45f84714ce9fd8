import { grantAccess, listAcls, revokeAccess } from "@attune/contracts/rest/acls.ts";
import { addUser, createApiToken, removeUser } from "@attune/contracts/rest/identity.ts";
import { createModel, deleteModel, editModel, getModel, listModels } from "@attune/contracts/rest/models.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { reasonOf, startTestPlatform, type TestPlatform, type TestUser } from "../../testing/start-test-platform.ts";

let run: TestPlatform;
let owner: TestUser;
let viewer: TestUser;
let count = 0;

beforeAll(async () => {
  run = await startTestPlatform();
  owner = await run.addMember("editor");
  viewer = await run.addMember("viewer");
});
afterAll(async () => {
  await run[Symbol.asyncDispose]();
});

async function makePrivateModel(): Promise<string> {
  const body = { kind: "base" as const, name: `private ${++count}`, is_private: true };
  return (await owner.client.call(createModel, { body })).body.id;
}

const paramsOf = (id: string) => ({ resource_kind: "model" as const, resource_id: id });
const idsSeenBy = async (user: TestUser): Promise<string[]> =>
  (await user.client.call(listModels, { query: { limit: 200 } })).body.items.map(({ id }) => id);

test("a private record is known to its owner and to administrators only, in lists and one by one", async () => {
  const id = await makePrivateModel();
  const params = { model_id: id };
  for (const [user, isKnown] of [
    [owner, true],
    [run.operator, true],
    [viewer, false],
    [await run.addMember("editor"), false],
  ] as const) {
    expect((await idsSeenBy(user)).includes(id)).toBe(isKnown);
    expect(await reasonOf(user.client.call(getModel, { params }))).toBe(isKnown ? undefined : "RECORD_NOT_FOUND");
  }
});

test.each([
  ["read", undefined, "PERMISSION_DENIED", "PERMISSION_DENIED"],
  ["edit", undefined, undefined, "PERMISSION_DENIED"],
  ["manage", undefined, undefined, undefined],
] as const)(
  "a grant to %s gives that and what it includes, above the role",
  async (...[action, read, edit, remove]) => {
    const id = await makePrivateModel();
    const body = { grantee_kind: "user" as const, grantee: viewer.id, action };
    await owner.client.call(grantAccess, { params: paramsOf(id), body });
    const params = { model_id: id };
    expect(await idsSeenBy(viewer)).toContain(id);
    expect(await reasonOf(viewer.client.call(getModel, { params }))).toBe(read);
    const change = viewer.client.call(editModel, { params, body: { description: "Mine" }, ifMatch: '"1"' });
    expect(await reasonOf(change)).toBe(edit);
    expect(await reasonOf(viewer.client.call(deleteModel, { params }))).toBe(remove);
  },
);

test.each(["role", "tenant"] as const)("a grant to a %s reaches its members", async (kind) => {
  const id = await makePrivateModel();
  const { body: session } = await owner.client.call(getModel, { params: { model_id: id } });
  const tenantId = (await run.platform.database.pool.query("select tenant_id from models where id = $1", [session.id]))
    .rows[0] as { tenant_id: string };
  const body =
    kind === "role"
      ? { grantee_kind: kind, grantee: "viewer" as const, action: "read" as const }
      : { grantee_kind: kind, grantee: tenantId.tenant_id, action: "read" as const };
  await owner.client.call(grantAccess, { params: paramsOf(id), body });
  expect(await idsSeenBy(viewer)).toContain(id);
});

test("a grant to the same grantee is replaced, and taken back it is gone at once", async () => {
  const id = await makePrivateModel();
  const params = paramsOf(id);
  const give = (action: "read" | "manage") =>
    owner.client.call(grantAccess, { params, body: { grantee_kind: "user", grantee: viewer.id, action } });
  await give("manage");
  await give("read");
  const { body } = await owner.client.call(listAcls, { params });
  expect(body.items).toMatchObject([{ grantee: viewer.id, action: "read" }]);
  expect(await reasonOf(viewer.client.call(listAcls, { params }))).toBe("PERMISSION_DENIED");
  await owner.client.call(revokeAccess, { params: { ...params, acl_id: body.items[0]?.id ?? "" } });
  expect(await idsSeenBy(viewer)).not.toContain(id);
});

test("nobody is granted anything who is not in the tenant", async () => {
  const id = await makePrivateModel();
  const stranger = await run.addTenant("Strangers");
  const body = { grantee_kind: "user" as const, grantee: stranger.id, action: "read" as const };
  expect(await reasonOf(owner.client.call(grantAccess, { params: paramsOf(id), body }))).toBe("REQUEST_INVALID");
});

test("a grant does not make an API token do more than its actions", async () => {
  const id = await makePrivateModel();
  await owner.client.call(grantAccess, {
    params: paramsOf(id),
    body: { grantee_kind: "user", grantee: viewer.id, action: "manage" },
  });
  const made = await viewer.client.call(createApiToken, { body: { name: "reader", scopes: ["read"] } });
  const robot = run.clientOf(made.body.token);
  expect(await reasonOf(robot.call(getModel, { params: { model_id: id } }))).toBeUndefined();
  expect(await reasonOf(robot.call(deleteModel, { params: { model_id: id } }))).toBe("PERMISSION_DENIED");
});

test("who was taken out of the tenant and comes back has none of the grants of before", async () => {
  const id = await makePrivateModel();
  const guest = await run.addMember("viewer");
  const body = { grantee_kind: "user" as const, grantee: guest.id, action: "manage" as const };
  await owner.client.call(grantAccess, { params: paramsOf(id), body });
  expect(await idsSeenBy(guest)).toContain(id);
  await run.operator.client.call(removeUser, { params: { user_id: guest.id } });
  expect((await owner.client.call(listAcls, { params: paramsOf(id) })).body.items).toEqual([]);
  const again = { email: guest.email, display_name: "Back", role: "viewer" as const };
  await run.operator.client.call(addUser, { body: again });
  expect(await idsSeenBy(guest)).not.toContain(id);
});

test("an id is the same in capitals: the grant holds, and is one", async () => {
  const id = await makePrivateModel();
  for (const grantee of [viewer.id.toUpperCase(), viewer.id]) {
    const body = { grantee_kind: "user" as const, grantee, action: "read" as const };
    await owner.client.call(grantAccess, { params: paramsOf(id.toUpperCase()), body });
  }
  expect(await idsSeenBy(viewer)).toContain(id);
  expect((await owner.client.call(listAcls, { params: paramsOf(id) })).body.items).toHaveLength(1);
});
