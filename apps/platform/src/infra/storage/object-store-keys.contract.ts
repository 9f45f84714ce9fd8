import { describe, expect, it } from "vitest";
import type { ObjectStore } from "./object-store.ts";
import { collect, readObject, reasonOf, type UseFixture } from "./store-fixture.contract.ts";

/** Names of objects, and listing by name. */
export function describeKeys(use: UseFixture): void {
  describe("keys", () => {
    it.each([
      "名前/é 😀.txt",
      "a b+c%20d",
      "what?is#this&that=",
      "it's (a) *star*!;:@$,~^`{}[]|<>\"",
      "Case/CASE/case",
      "con/aux/nul.txt",
      ".hidden/..dots/...",
      " lead and trail ",
      "-rf/--help/$(id)",
      `${"長".repeat(26)}/${"x".repeat(80)}`,
      Array.from({ length: 20 }, () => "deep").join("/"),
    ])("takes the key %j letter by letter", async (key) => {
      await use().store.put(`names/${key}`, Buffer.from(key));
      expect(String(await readObject(use().store, `names/${key}`))).toBe(key);
      expect(await listKeys(use().store, `names/${key}`)).toEqual([`names/${key}`]);
      await use().store.delete(`names/${key}`);
      expect(await use().store.exists(`names/${key}`)).toBe(false);
    });

    it.each([
      "",
      "/",
      "/etc/passwd",
      "a/",
      "a//b",
      ".",
      "..",
      "../up",
      "a/../../up",
      "a/./b",
      "a\\..\\b",
      "nul\0byte",
      "line\nfeed",
      "\uD800",
      "e\u0301",
      "x".repeat(81),
      "deep/".repeat(200),
    ])("refuses the key %j in every call", async (key) => {
      const calls: (() => Promise<unknown>)[] = [
        () => use().store.put(key, Buffer.from("x")),
        () => use().store.get(key),
        () => use().store.head(key),
        () => use().store.delete(key),
        () => use().store.copy(key, "fine"),
        () => use().store.copy("kept", key),
        () => use().store.createUpload(key),
        () => use().store.signGet(key, { expiresInSeconds: 60 }),
        () => use().store.signPut(key, { expiresInSeconds: 60, sizeBytes: 1 }),
      ];
      for (const call of calls) expect(await reasonOf(call)).toBe("STORAGE_KEY_INVALID");
    });

    it("tells keys apart that differ in case, and an object from a folder of its name", async () => {
      for (const key of ["twin/a", "twin/A", "twin/a/b", "twin/a/b/c", "twin"])
        await use().store.put(key, Buffer.from(key));
      for (const key of ["twin/a", "twin/A", "twin/a/b", "twin/a/b/c", "twin"])
        expect(String(await readObject(use().store, key))).toBe(key);
      await use().store.delete("twin/a");
      expect(await listKeys(use().store, "twin")).toEqual(["twin", "twin/A", "twin/a/b", "twin/a/b/c"]);
    });

    it("lists 1,100 keys in order, in pages, from any place", async () => {
      const keys = Array.from({ length: 1_100 }, (_, index) => `many/${index % 10}/${String(index).padStart(4, "0")}`);
      const waiting = [...keys];
      const putSome = async () => {
        for (let key = waiting.pop(); key !== undefined; key = waiting.pop())
          await use().store.put(key, Buffer.from(key));
      };
      await Promise.all(Array.from({ length: 8 }, putSome));
      const sorted = [...keys].sort();
      expect(await listKeys(use().store, "many/")).toEqual(sorted);
      expect(await listKeys(use().store, "many/", { pageSize: 100, startAfter: sorted[549] ?? "" })).toEqual(
        sorted.slice(550),
      );
      expect(await listKeys(use().store, "many/3/00")).toEqual(sorted.filter((key) => key.startsWith("many/3/00")));
      expect(await listKeys(use().store, "manyfold/")).toEqual([]);
      const [first] = await collect(use().store.list("many/"));
      expect(first).toMatchObject({ key: sorted[0], sizeBytes: sorted[0]?.length });
    });

    it("lists in the order of the keys' bytes", async () => {
      const keys = ["order/a", "order/a-b", "order/a/b", "order/a0", "order/Z", "order/\uFF5E", "order/😀", "order/é"];
      for (const key of keys) await use().store.put(key, Buffer.from("x"));
      const sorted = keys.sort((left, right) => Buffer.compare(Buffer.from(left), Buffer.from(right)));
      expect(await listKeys(use().store, "order/")).toEqual(sorted);
      expect(await listKeys(use().store, "order/", { startAfter: "order/a-b" })).toEqual(
        sorted.slice(sorted.indexOf("order/a-b") + 1),
      );
    });
  });
}

interface Listing {
  readonly startAfter?: string;
  readonly pageSize?: number;
}

async function listKeys(store: ObjectStore, prefix: string, listing: Listing = {}): Promise<string[]> {
  return (await collect(store.list(prefix, listing))).map(({ key }) => key);
}
