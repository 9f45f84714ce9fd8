import type { BodyInputOf } from "@attune/contracts/rest/define-route.ts";
import { createModel } from "@attune/contracts/rest/models.ts";
import type { TestUser } from "./start-test-platform.ts";

type NewModel = BodyInputOf<typeof createModel>;
type Settings<K extends NewModel["kind"]> = Partial<Omit<Extract<NewModel, { kind: K }>, "kind">>;

let count = 0;

/** Registers a base model under a name of its own. */
export const addBaseModel = (by: TestUser, settings: Settings<"base"> = {}) =>
  by.client.call(createModel, { body: { kind: "base", name: `Base model ${++count}`, ...settings } });

/** Registers an API model under a name of its own, at an address where nothing answers. */
export const addApiModel = (by: TestUser, settings: Settings<"api"> = {}) =>
  by.client.call(createModel, {
    body: {
      kind: "api",
      name: `API model ${++count}`,
      api_url: "http://127.0.0.1:9/v1",
      api_model: "fake-chat",
      ...settings,
    },
  });
