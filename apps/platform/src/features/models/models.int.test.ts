import type { BodyInputOf } from "@attune/contracts/rest/define-route.ts";
import { listOperations } from "@attune/contracts/rest/operation-logs.ts";
import { createModel, deleteModel, editModel, getModel, listModels } from "@attune/contracts/rest/models.ts";
import { grantAccess } from "@attune/contracts/rest/acls.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { reasonOf, startTestPlatform, type TestPlatform, type TestUser } from "../../testing/start-test-platform.ts";
import { addApiModel, addBaseModel } from "../../testing/make-models.ts";

let run: TestPlatform;
beforeAll(async () => {
  run = await startTestPlatform({ PLATFORM_RATE_PER_SECOND: "100000" });
});
afterAll(() => run[Symbol.asyncDispose]());

const idOf = (id: string) => ({ params: { model_id: id } });

async function edit(user: TestUser, id: string, body: BodyInputOf<typeof editModel>) {
  const { etag = "" } = await user.client.call(getModel, idOf(id));
  return user.client.call(editModel, { ...idOf(id), body, ifMatch: etag });
}

describe("a model", () => {
  it("can be trained when it is no API model and has a path", async () => {
    const trainable = async (path: string | null) => (await addBaseModel(run.operator, { path })).body.can_train;
    expect(await trainable("/models/qwen3-8b")).toBe(true);
    expect(await trainable(null)).toBe(false);
    expect((await addApiModel(run.operator)).body.can_train).toBe(false);
  });

  it("comes back as it was registered, with an ETag", async () => {
    const body = {
      name: "A model",
      description: "For tests.\nTwo lines.",
      api_url: "https://api.example.com/v1/",
      api_model: "org/model:latest",
      secret: "sk-planted-key",
      max_concurrency: 3,
      requests_per_minute: 60,
    };
    const made = await addApiModel(run.operator, body);
    const { secret: _secret, ...visible } = body;
    expect(made.body).toMatchObject({
      ...visible,
      api_url: "https://api.example.com/v1",
      kind: "api",
      has_secret: true,
    });
    expect(made).toMatchObject({ status: 201, etag: '"1"' });
    const read = await run.operator.client.call(getModel, idOf(made.body.id));
    expect(read.body).toEqual(made.body);
  });

  it.each([
    ["an address that is none", { api_url: "not a url" }, "MODEL_API_URL_INVALID"],
    ["the address of an operation", { api_url: "http://host/v1/chat/completions" }, "MODEL_API_URL_INVALID"],
    ["a user in the address", { api_url: "http://user:pass@host/v1" }, "MODEL_API_URL_INVALID"],
    ["a secret with a line break", { secret: "sk\nx" }, "REQUEST_INVALID"],
    ["no concurrency", { max_concurrency: 0 }, "REQUEST_INVALID"],
    ["a control character in its name at the API", { api_model: "a\u0000b" }, "REQUEST_INVALID"],
    ["NUL in the description", { description: "a\u0000b" }, "REQUEST_INVALID"],
    ["a path, being an API model", { path: "/models/x" }, "REQUEST_INVALID"],
  ])("is refused with %s", async (_name, body, reason) => {
    expect(await reasonOf(addApiModel(run.operator, body as never))).toBe(reason);
  });

  it("is made once for one idempotency key", async () => {
    const call = () =>
      run.operator.client.call(createModel, { body: { kind: "base", name: "Once" }, idempotencyKey: "model-once" });
    const [first, second] = await Promise.all([call(), call()]);
    expect(second.body).toEqual(first.body);
  });
});

describe("the name of a model", () => {
  it("is one model's in its tenant, whatever the case, and free when that is deleted", async () => {
    const other = await run.addTenant("Other names");
    const first = await addBaseModel(run.operator, { name: "Straße Ä" });
    expect(await reasonOf(addBaseModel(run.operator, { name: "straße ä" }))).toBe("MODEL_NAME_TAKEN");
    await addBaseModel(other, { name: "Straße Ä" });
    await run.operator.client.call(deleteModel, idOf(first.body.id));
    const again = await addBaseModel(run.operator, { name: "STRAßE Ä" });
    const third = await addBaseModel(run.operator, {});
    expect(await reasonOf(edit(run.operator, third.body.id, { name: again.body.name }))).toBe("MODEL_NAME_TAKEN");
  });

  it("goes to one of eight who ask for it at once", async () => {
    for (let round = 0; round < 10; round++) {
      const asked = Array.from({ length: 8 }, () => reasonOf(addBaseModel(run.operator, { name: `Race ${round}` })));
      const reasons = await Promise.all(asked);
      expect(reasons.filter((reason) => reason === undefined)).toHaveLength(1);
      expect(reasons.filter((reason) => reason === "MODEL_NAME_TAKEN")).toHaveLength(7);
    }
  });
});

describe("an edit", () => {
  it("changes what it names and nothing else, and counts the version up", async () => {
    const { body } = await addApiModel(run.operator, { secret: "sk-planted-key" });
    const edited = await edit(run.operator, body.id, { description: "New", requests_per_minute: 5 });
    expect(edited.body).toEqual({
      ...body,
      description: "New",
      requests_per_minute: 5,
      version: 2,
      updated_at: expect.any(String) as string,
    });
    expect(edited.etag).toBe('"2"');
    const removed = await edit(run.operator, body.id, { secret: null });
    expect(removed.body).toMatchObject({ has_secret: false, version: 3 });
  });

  it("on a version that is gone changes nothing", async () => {
    const { body, etag = "" } = await addBaseModel(run.operator, {});
    await edit(run.operator, body.id, { description: "first" });
    const late = run.operator.client.call(editModel, {
      ...idOf(body.id),
      body: { description: "late" },
      ifMatch: etag,
    });
    expect(await reasonOf(late)).toBe("VERSION_CONFLICT");
    const none = run.operator.client.call(editModel, { ...idOf(body.id), body: { description: "none" } });
    expect(await reasonOf(none)).toBe("VERSION_REQUIRED");
    expect((await run.operator.client.call(getModel, idOf(body.id))).body.description).toBe("first");
  });

  it("of one version succeeds once when eight come at once", async () => {
    const { body, etag = "" } = await addBaseModel(run.operator, {});
    const attempts = Array.from({ length: 8 }, (_, at) =>
      reasonOf(
        run.operator.client.call(editModel, { ...idOf(body.id), body: { description: `by ${at}` }, ifMatch: etag }),
      ),
    );
    const reasons = await Promise.all(attempts);
    expect(reasons.filter((reason) => reason === undefined)).toHaveLength(1);
    expect((await run.operator.client.call(getModel, idOf(body.id))).body.version).toBe(2);
  });

  it("cannot give a model what its kind does not have", async () => {
    const base = await addBaseModel(run.operator, {});
    expect(await reasonOf(edit(run.operator, base.body.id, { api_url: "http://x/v1", secret: "x" }))).toBe(
      "REQUEST_INVALID",
    );
    const api = await addApiModel(run.operator);
    expect(await reasonOf(edit(run.operator, api.body.id, { path: "/x" }))).toBe("REQUEST_INVALID");
  });

  it("of who may see it is for who may manage it", async () => {
    const editor = await run.addMember("editor");
    const { body } = await addBaseModel(run.operator, {});
    expect((await edit(editor, body.id, { description: "mine" })).body.version).toBe(2);
    expect(await reasonOf(edit(editor, body.id, { is_private: true }))).toBe("PERMISSION_DENIED");
    const own = await addBaseModel(editor, {});
    expect((await edit(editor, own.body.id, { is_private: true })).body.is_private).toBe(true);
  });
});

describe("a deleted model", () => {
  it("is not found any more, also the second time", async () => {
    const { body } = await addApiModel(run.operator, { secret: "sk-planted-key" });
    await run.operator.client.call(deleteModel, idOf(body.id));
    expect(await reasonOf(run.operator.client.call(deleteModel, idOf(body.id)))).toBe("RECORD_NOT_FOUND");
    expect(await reasonOf(run.operator.client.call(getModel, idOf(body.id)))).toBe("RECORD_NOT_FOUND");
    const { items } = (await run.operator.client.call(listModels, { query: { limit: 200 } })).body;
    expect(items.map(({ id }) => id)).not.toContain(body.id);
    const { rows } = await run.platform.database.pool.query("select sealed_secret from models where id = $1", [
      body.id,
    ]);
    expect(rows).toEqual([{ sealed_secret: null }]);
  });
});

describe("the list", () => {
  it("holds what one may see, the newest first, page by page", async () => {
    const owner = await run.addTenant("Lists");
    const viewer = await run.addMember("viewer", owner);
    const made: string[] = [];
    for (let at = 0; at < 5; at++) made.push((await addBaseModel(owner, { is_private: at === 2 })).body.id);
    const walk = async (user: TestUser) => {
      const found: string[] = [];
      for (let cursor: string | undefined; ;) {
        const query = { limit: 2, ...(cursor !== undefined && { cursor }) };
        const { body } = await user.client.call(listModels, { query });
        found.push(...body.items.map(({ id }) => id));
        if (body.next_cursor === null) return found;
        cursor = body.next_cursor;
      }
    };
    expect(await walk(owner)).toEqual(made.toReversed());
    const [, , hidden = ""] = made;
    expect(await walk(viewer)).toEqual(made.toReversed().filter((id) => id !== hidden));
    expect(await reasonOf(viewer.client.call(getModel, idOf(hidden)))).toBe("RECORD_NOT_FOUND");
    const params = { resource_kind: "model" as const, resource_id: hidden };
    await owner.client.call(grantAccess, {
      params,
      body: { grantee_kind: "user", grantee: viewer.id, action: "read" },
    });
    expect(await walk(viewer)).toEqual(made.toReversed());
    expect(await reasonOf(viewer.client.call(listModels, { query: { cursor: "WyJ4Il0" } }))).toBe("REQUEST_INVALID");
  });

  it("can be narrowed", async () => {
    const owner = await run.addTenant("Narrow lists");
    await addBaseModel(owner, { name: "100% Base_one", path: "/x" });
    await addBaseModel(owner, { name: "Base two" });
    await addApiModel(owner, { name: "Api one" });
    const names = async (query: Record<string, string>) =>
      (await owner.client.call(listModels, { query })).body.items.map(({ name }) => name).toSorted();
    expect(await names({ kind: "api" })).toEqual(["Api one"]);
    expect(await names({ can_train: "true" })).toEqual(["100% Base_one"]);
    expect(await names({ can_train: "false" })).toEqual(["Api one", "Base two"]);
    expect(await names({ search: "ONE" })).toEqual(["100% Base_one", "Api one"]);
    expect(await names({ search: "0% b" })).toEqual(["100% Base_one"]);
    expect(await names({ search: "%" })).toEqual(["100% Base_one"]);
    expect(await names({ search: "e_t" })).toEqual([]);
  });
});

it("every change is in the operation log, without any secret", async () => {
  const owner = await run.addTenant("Logged models");
  const { body } = await addApiModel(owner, { name: "Logged", secret: "sk-planted-key" });
  await edit(owner, body.id, { name: "Renamed", secret: "sk-planted-two" });
  await owner.client.call(deleteModel, idOf(body.id));
  const { items } = (await owner.client.call(listOperations, { query: { resource_id: body.id } })).body;
  expect(items.map(({ action, details }) => [action, details])).toEqual([
    ["deleteModel", { name: "Renamed" }],
    ["editModel", { changed: ["name", "secret"], from: "Logged", to: "Renamed" }],
    ["createModel", { name: "Logged", kind: "api" }],
  ]);
  expect(JSON.stringify(items)).not.toContain("planted");
});
