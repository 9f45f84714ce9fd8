import { grantAccess, revokeAccess } from "@attune/contracts/rest/acls.ts";
import {
  changeRole,
  createApiToken,
  getUser,
  removeUser,
  revokeApiToken,
  signOut,
} from "@attune/contracts/rest/identity.ts";
import { deleteModel, editModel } from "@attune/contracts/rest/models.ts";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Follower, follow } from "../../testing/follow.ts";
import { addBaseModel } from "../../testing/make-models.ts";
import { reasonOf, startTestPlatform, type TestPlatform, type TestUser } from "../../testing/start-test-platform.ts";

let run: TestPlatform;
let owner: TestUser;
beforeAll(async () => {
  run = await startTestPlatform({ PLATFORM_RATE_PER_SECOND: "100000", PLATFORM_EVENT_HEARTBEAT_MS: "200" });
  owner = await run.addMember("editor");
});
afterAll(async () => {
  await run[Symbol.asyncDispose]();
});

const privateModel = async (): Promise<string> => (await addBaseModel(owner, { is_private: true })).body.id;
const typesAbout = ({ changes }: Follower, id: string): string[] =>
  changes.filter(({ resource_id: about }) => about === id).map(({ type }) => type);

/** Waits until everything that was committed before has come to the follower, whether it may see it or not. */
async function caughtUp(follower: Follower): Promise<void> {
  const marker = (await addBaseModel(run.operator)).body.id;
  await follower.until((all) => all.some(({ resource_id: id }) => id === marker));
}

test("a private record's events are told to its owner and administrators only, its deletion too", async () => {
  const viewer = await run.addMember("viewer");
  await using toViewer = await follow(viewer.client);
  await using toOwner = await follow(owner.client);
  await using toAdmin = await follow(run.operator.client);
  const id = await privateModel();
  await owner.client.call(deleteModel, { params: { model_id: id } });
  for (const follower of [toViewer, toOwner, toAdmin]) await caughtUp(follower);
  expect(typesAbout(toViewer, id)).toEqual([]);
  expect(typesAbout(toOwner, id)).toEqual(["model.created", "model.deleted"]);
  expect(typesAbout(toAdmin, id)).toEqual(["model.created", "model.deleted"]);
});

test("a grant opens an open stream to a record, and its end closes it, on resumption too", async () => {
  const viewer = await run.addMember("viewer");
  const id = await privateModel();
  await using live = await follow(viewer.client);
  const start = live.lastId();
  const edit = (version: number) =>
    owner.client.call(editModel, { params: { model_id: id }, body: { description: "x" }, ifMatch: `"${version}"` });
  const params = { resource_kind: "model" as const, resource_id: id };
  const body = { grantee_kind: "user" as const, grantee: viewer.id, action: "read" as const };
  await edit(1);
  await caughtUp(live);
  expect(typesAbout(live, id)).toEqual([]);
  const acl = (await owner.client.call(grantAccess, { params, body })).body.id;
  await edit(2);
  await caughtUp(live);
  expect(typesAbout(live, id)).toEqual(["model.access_changed", "model.changed"]);
  await owner.client.call(revokeAccess, { params: { ...params, acl_id: acl } });
  await edit(3);
  await caughtUp(live);
  expect(typesAbout(live, id)).toHaveLength(2);
  await using resumed = await follow(viewer.client, {}, start);
  await caughtUp(resumed);
  expect(typesAbout(resumed, id)).toEqual([]);
});

test("another tenant's events are not told", async () => {
  const foreign = await run.addTenant("Events elsewhere");
  await using follower = await follow(foreign.client);
  await addBaseModel(owner);
  const own = (await addBaseModel(foreign)).body.id;
  await follower.until((all) => all.length > 0);
  expect(follower.changes.map(({ resource_id: id }) => id)).toEqual([own]);
});

const aToken = async (by: TestUser, scopes: ("read" | "use")[] = ["read"]) =>
  (await by.client.call(createApiToken, { body: { name: "Events", scopes } })).body;

test("a token that is not for reading follows nothing", async () => {
  const { token } = await aToken(owner, ["use"]);
  expect(await reasonOf(follow(run.clientOf(token)))).toBe("PERMISSION_DENIED");
});

test.each([
  ["the user signs out", "SIGN_IN_REQUIRED", async (user: TestUser) => user.client.call(signOut, {})],
  [
    "the session expires",
    "SIGN_IN_REQUIRED",
    async ({ id }: TestUser) =>
      run.platform.database.queries.execute(sql`update sessions set expires_at = now() where user_id = ${id}`),
  ],
  [
    "the user is disabled",
    "SIGN_IN_REQUIRED",
    async ({ id }: TestUser) =>
      run.platform.database.queries.execute(sql`update users set is_disabled = true where id = ${id}`),
  ],
  [
    "the member is taken out of the tenant",
    "PERMISSION_DENIED",
    async ({ id }: TestUser) => run.operator.client.call(removeUser, { params: { user_id: id } }),
  ],
])("a stream ends and says why when %s", async (...[, reason, spoil]) => {
  const user = await run.addMember("viewer");
  await using follower = await follow(user.client);
  await spoil(user);
  await addBaseModel(owner);
  expect(await follower.ended).toBe(reason);
  expect(follower.changes).toEqual([]);
});

test.each([
  ["revoked", async (id: string) => owner.client.call(revokeApiToken, { params: { token_id: id } })],
  [
    "expired",
    async (id: string) =>
      run.platform.database.queries.execute(sql`update api_tokens set expires_at = now() where id = ${id}`),
  ],
])("the stream of an API token that is %s ends, without an event to tell it", async (...[, spoil]) => {
  const { id, token } = await aToken(owner);
  await using follower = await follow(run.clientOf(token));
  await spoil(id);
  expect(await follower.ended).toBe("SIGN_IN_REQUIRED");
});

test("a role that changes counts at once", async () => {
  const user = await run.addMember("admin");
  const id = await privateModel();
  await using follower = await follow(user.client);
  const edit = (version: number) =>
    owner.client.call(editModel, { params: { model_id: id }, body: { description: "x" }, ifMatch: `"${version}"` });
  await edit(1);
  await caughtUp(follower);
  expect(typesAbout(follower, id)).toEqual(["model.changed"]);
  const params = { user_id: user.id };
  const { etag } = await run.operator.client.call(getUser, { params });
  await run.operator.client.call(changeRole, { params, body: { role: "viewer" }, ifMatch: etag ?? "" });
  await edit(2);
  await caughtUp(follower);
  expect(typesAbout(follower, id)).toHaveLength(1);
});
