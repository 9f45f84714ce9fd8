import { loadSettings } from "@attune/service-kit/load-config.ts";
import { expect, test } from "vitest";
import { objectStores, openObjectStores } from "./object-stores.ts";
import { storageSettings, toStorageValues } from "./storage-settings.ts";

const load = (environment: Record<string, string>) =>
  toStorageValues(loadSettings(storageSettings, environment, "PLATFORM_"), "http://localhost:8080");

test("every store that the configuration may name is on the list, and says what it is", () => {
  const names = storageSettings.PLATFORM_STORE.unwrap().options;
  expect(objectStores.map(({ name }) => name)).toEqual(names);
  expect(objectStores.every(({ description }) => description.endsWith("."))).toBe(true);
});

test("without settings objects lie in the data folder", () => {
  expect(load({ ATTUNE_DATA_DIR: "/srv/attune" })).toMatchObject({
    store: "filesystem",
    filesystem: { path: "/srv/attune/objects" },
  });
});

test.each([
  [{}, "Set PLATFORM_S3_BUCKET."],
  [{ PLATFORM_S3_BUCKET: "b", PLATFORM_S3_ACCESS_KEY_ID: "k" }, "Set both"],
])("S3 with %j says what is missing", async (environment, told) => {
  const values = load({ PLATFORM_STORE: "s3", ...environment });
  await expect(openObjectStores(values)).rejects.toThrow(told);
});

test("S3 is opened without its SDK and without asking the server", async () => {
  const stores = await openObjectStores(
    load({ PLATFORM_STORE: "s3", PLATFORM_S3_BUCKET: "b", PLATFORM_S3_PREFIX: "" }),
  );
  expect(stores.current).toMatchObject({ name: "s3", isShared: true });
  expect(await stores.get("s3")).toBe(stores.current);
  await expect(stores.get("tape")).rejects.toThrow("There is no store tape.");
  await stores.close();
});

test("a prefix that does not end with a slash is a fault", () => {
  expect(() => load({ PLATFORM_S3_PREFIX: "attune" })).toThrow(/PLATFORM_S3_PREFIX: must be empty/);
});
