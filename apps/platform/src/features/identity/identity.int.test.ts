import {
  addUser,
  changePassword,
  changeRole,
  createApiToken,
  getSession,
  getUser,
  listApiTokens,
  listUsers,
  removeUser,
  resetPassword,
  resumeSession,
  revokeApiToken,
  signIn,
  signOut,
} from "@attune/contracts/rest/identity.ts";
import { getTenant } from "@attune/contracts/rest/tenants.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { reasonOf, startTestPlatform, type TestPlatform } from "../../testing/start-test-platform.ts";

let run: TestPlatform;

beforeAll(async () => {
  run = await startTestPlatform();
});
afterAll(async () => {
  await run[Symbol.asyncDispose]();
});

const enter = (email: string, password: string) => run.stranger.call(signIn, { body: { email, password } });

describe("signing in", () => {
  test("gives a token, and a cookie that only the resuming of the session takes", async () => {
    const { email, password } = run.operator;
    const { body, headers } = await enter(email.toUpperCase(), password);
    const cookie = headers.get("set-cookie") ?? "";
    expect(cookie).toMatch(
      /^attune_session=atts_[\w-]{43}; Path=\/api\/v1\/session\/resume; Max-Age=\d+; HttpOnly; SameSite=Strict$/,
    );
    const sent = { headers: { cookie: cookie.split(";")[0] ?? "" } };
    const resumed = await run.stranger.call(resumeSession, sent);
    expect(resumed.body.token).toBe(body.token);
    expect(await reasonOf(run.stranger.call(getSession, sent))).toBe("SIGN_IN_REQUIRED");
  });

  test("tells an unknown address and a wrong password alike", async () => {
    expect(await reasonOf(enter("nobody@example.com", "x"))).toBe("SIGN_IN_FAILED");
    expect(await reasonOf(enter(run.operator.email, "x"))).toBe("SIGN_IN_FAILED");
  });

  test("locks an account after five failures, whatever the password, and no other account", async () => {
    const victim = await run.addMember("viewer");
    const other = await run.addMember("viewer");
    for (let attempt = 0; attempt < 5; attempt++) await reasonOf(enter(victim.email, "wrong"));
    expect(await reasonOf(enter(victim.email, victim.password))).toBe("SIGN_IN_LOCKED");
    expect(await reasonOf(enter(other.email, other.password))).toBeUndefined();
    expect(await reasonOf(victim.client.call(getSession, {}))).toBeUndefined();
  });

  test("counts attempts that are made at once", async () => {
    const victim = await run.addMember("viewer");
    const answers = await Promise.all(Array.from({ length: 20 }, () => reasonOf(enter(victim.email, "wrong"))));
    expect(answers.filter((reason) => reason === "SIGN_IN_FAILED")).toHaveLength(5);
    expect(answers.filter((reason) => reason === "SIGN_IN_LOCKED")).toHaveLength(15);
    expect(await reasonOf(enter(victim.email, victim.password))).toBe("SIGN_IN_LOCKED");
  });

  test("counts guesses of the password that is to be replaced, too", async () => {
    const victim = await run.addMember("viewer");
    const guess = (password: string) =>
      reasonOf(
        victim.client.call(changePassword, {
          body: { current_password: password, new_password: "quite another phrase" },
        }),
      );
    const answers = await Promise.all(Array.from({ length: 8 }, (_, at) => guess(`wrong ${at}`)));
    expect(answers.filter((reason) => reason === "SIGN_IN_FAILED")).toHaveLength(5);
    expect(await guess(victim.password)).toBe("SIGN_IN_LOCKED");
    expect(await reasonOf(victim.client.call(getSession, {}))).toBeUndefined();
  });

  test("with a password for one sign-in allows nothing but a new one", async () => {
    const { body } = await run.operator.client.call(addUser, {
      body: { email: "new@example.com", display_name: "New", role: "editor" },
    });
    const first = body.one_time_password ?? "";
    const session = await enter("new@example.com", first);
    const client = run.clientOf(session.body.token);
    expect(await reasonOf(client.call(listUsers, {}))).toBe("PASSWORD_CHANGE_REQUIRED");
    const set = (next: string) =>
      client.call(changePassword, { body: { current_password: first, new_password: next } });
    for (const weak of ["short", "password1234", "aaaaaaaaaaaaaaaa", "new@example.com!", first]) {
      expect(await reasonOf(set(weak))).toBe("PASSWORD_TOO_WEAK");
    }
    await set("wonderful orange tractor");
    expect(await reasonOf(client.call(listUsers, {}))).toBeUndefined();
    expect(await reasonOf(enter("new@example.com", first))).toBe("SIGN_IN_FAILED");
  });
});

describe("a session", () => {
  test("ends on the server when its user signs out", async () => {
    const user = await run.addMember("viewer");
    await user.client.call(signOut, {});
    expect(await reasonOf(user.client.call(getSession, {}))).toBe("SIGN_IN_REQUIRED");
  });

  test("ends when another one of the user sets a new password", async () => {
    const user = await run.addMember("viewer");
    const other = run.clientOf((await enter(user.email, user.password)).body.token);
    const body = { current_password: user.password, new_password: "another fine password" };
    await other.call(changePassword, { body });
    expect(await reasonOf(user.client.call(getSession, {}))).toBe("SIGN_IN_REQUIRED");
    expect(await reasonOf(other.call(getSession, {}))).toBeUndefined();
  });

  test.each(["atts_x", "", "attk_" + "A".repeat(43), "atts_" + "A".repeat(43), "eyJhbGciOiJub25lIn0.e30."])(
    "is not opened by %j",
    async (token) => {
      const response = await fetch(`${run.baseUrl}/api/v1/session`, { headers: { authorization: `Bearer ${token}` } });
      expect(response.status).toBe(401);
      expect(response.headers.get("www-authenticate")).toMatch(/^Bearer/);
    },
  );
});

describe("members", () => {
  test("lose the tenant at once when they are taken out of it, their tokens too", async () => {
    const user = await run.addMember("editor");
    const made = await user.client.call(createApiToken, { body: { name: "robot", scopes: ["read"] } });
    const robot = run.clientOf(made.body.token);
    expect(await reasonOf(robot.call(getTenant, {}))).toBeUndefined();
    await run.operator.client.call(removeUser, { params: { user_id: user.id } });
    expect(await reasonOf(user.client.call(getTenant, {}))).toBe("PERMISSION_DENIED");
    expect(await reasonOf(robot.call(getTenant, {}))).toBe("SIGN_IN_REQUIRED");
  });

  test("are one for an address", async () => {
    const user = await run.addMember("viewer");
    const again = { email: user.email.toUpperCase(), display_name: "Again", role: "viewer" as const };
    expect(await reasonOf(run.operator.client.call(addUser, { body: again }))).toBe("USER_EMAIL_TAKEN");
  });

  test("include an owner always", async () => {
    const owner = await run.addTenant("One owner only");
    const params = { user_id: owner.id };
    const demote = owner.client.call(changeRole, { params, body: { role: "admin" }, ifMatch: '"1"' });
    expect(await reasonOf(demote)).toBe("LAST_OWNER");
    expect(await reasonOf(owner.client.call(removeUser, { params }))).toBe("LAST_OWNER");
  });

  test("keep an owner when two owners take each other's role at once", async () => {
    for (let round = 0; round < 10; round++) {
      const one = await run.addTenant(`Two owners ${round}`);
      const two = await run.addMember("owner", one);
      const demote = (by: typeof one, id: string) =>
        reasonOf(by.client.call(changeRole, { params: { user_id: id }, body: { role: "viewer" }, ifMatch: '"1"' }));
      await Promise.all([demote(one, two.id), demote(two, one.id)]);
      const { body } = await one.client.call(listUsers, {}).catch(() => two.client.call(listUsers, {}));
      expect(body.items.filter(({ role }) => role === "owner").length).toBeGreaterThan(0);
    }
  }, 60_000);

  test("are made owner by owners only", async () => {
    const admin = await run.addMember("admin");
    const body = { email: "usurper@example.com", display_name: "Usurper", role: "owner" as const };
    expect(await reasonOf(admin.client.call(addUser, { body }))).toBe("PERMISSION_DENIED");
    const params = { user_id: run.operator.id };
    expect(await reasonOf(admin.client.call(resetPassword, { params }))).toBe("PERMISSION_DENIED");
    expect(await reasonOf(admin.client.call(removeUser, { params }))).toBe("PERMISSION_DENIED");
  });

  test("of two tenants get no password from the administrators of one", async () => {
    const shared = await run.addMember("viewer");
    const owner = await run.addTenant("Elsewhere");
    await owner.client.call(addUser, { body: { email: shared.email, display_name: "Shared", role: "viewer" } });
    const reset = owner.client.call(resetPassword, { params: { user_id: shared.id } });
    expect(await reasonOf(reset)).toBe("PERMISSION_DENIED");
  });

  test("change by the version that was read: of eight changes at once one is made", async () => {
    const user = await run.addMember("viewer");
    const params = { user_id: user.id };
    const { etag = "" } = await run.operator.client.call(getUser, { params });
    const changes = Array.from({ length: 8 }, (_, at) =>
      reasonOf(
        run.operator.client.call(changeRole, { params, body: { role: at % 2 ? "editor" : "admin" }, ifMatch: etag }),
      ),
    );
    const reasons = await Promise.all(changes);
    expect(reasons.filter((reason) => reason === undefined)).toHaveLength(1);
    expect(reasons.filter((reason) => reason === "VERSION_CONFLICT")).toHaveLength(7);
  });

  test("change by nobody who does not say on which version", async () => {
    const call = run.operator.client.call(changeRole, {
      params: { user_id: run.operator.id },
      body: { role: "owner" },
    });
    expect(await reasonOf(call)).toBe("VERSION_REQUIRED");
  });
});

describe("API tokens", () => {
  test("are for the actions they name and never for more than their user may", async () => {
    const admin = await run.addMember("admin");
    const made = await admin.client.call(createApiToken, { body: { name: "reader", scopes: ["read"] } });
    const reader = run.clientOf(made.body.token);
    expect(await reasonOf(reader.call(listUsers, {}))).toBeUndefined();
    const body = { email: "x@example.com", display_name: "X", role: "viewer" as const };
    expect(await reasonOf(reader.call(addUser, { body }))).toBe("PERMISSION_DENIED");
    const another = reader.call(createApiToken, { body: { name: "child", scopes: ["read"] } });
    expect(await reasonOf(another)).toBe("PERMISSION_DENIED");
  });

  test("of others are seen by administrators, and revoked at once", async () => {
    const editor = await run.addMember("editor");
    const viewer = await run.addMember("viewer");
    const { body } = await editor.client.call(createApiToken, { body: { name: "mine", scopes: ["read"] } });
    const idsSeenBy = async (user: typeof editor): Promise<string[]> =>
      (await user.client.call(listApiTokens, { query: { limit: 200 } })).body.items.map(({ id }) => id);
    expect(await idsSeenBy(editor)).toEqual([body.id]);
    expect(await idsSeenBy(viewer)).toEqual([]);
    expect(await idsSeenBy(run.operator)).toContain(body.id);
    const params = { token_id: body.id };
    expect(await reasonOf(viewer.client.call(revokeApiToken, { params }))).toBe("RECORD_NOT_FOUND");
    await run.operator.client.call(revokeApiToken, { params });
    expect(await reasonOf(run.clientOf(body.token).call(getTenant, {}))).toBe("SIGN_IN_REQUIRED");
  });

  test("belong to one tenant, whatever a header says", async () => {
    const other = await run.addTenant("Header's");
    const tenantId = (await other.client.call(getTenant, {})).body.id;
    const { body } = await run.operator.client.call(createApiToken, { body: { name: "home", scopes: ["read"] } });
    expect(await reasonOf(run.clientOf(body.token, tenantId).call(getTenant, {}))).toBe("PERMISSION_DENIED");
  });
});

test("no answer and no log line holds a secret", async () => {
  const text = JSON.stringify((await run.operator.client.call(listUsers, { query: { limit: 200 } })).body);
  expect(text).not.toMatch(/argon2|password_hash|token_hash/);
});
