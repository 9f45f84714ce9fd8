import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Secret } from "@attune/service-kit/secret.ts";
import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createSecretBox } from "./secret-box.ts";
import { openSecretKeys } from "./secret-keys.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "secret-keys-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

const keyOf = (letter: string): string => Buffer.alloc(32, letter).toString("base64");

function boxWith(present: string, previous?: string) {
  const configured = {
    present: new Secret(present),
    previous: previous === undefined ? undefined : new Secret(previous),
  };
  return createSecretBox(openSecretKeys({ configured, file: "/nowhere" }));
}

const fileAt = (name: string): string => join(folder, name, "secret-keys");
const boxAt = (name: string) => createSecretBox(openSecretKeys({ configured: undefined, file: fileAt(name) }));

describe("a sealed secret", () => {
  it("opens for its owner", () => {
    const box = boxWith(keyOf("a"));
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.string(), (text, owner) => {
        expect(box.open(box.seal(new Secret(text), owner), owner).reveal()).toBe(text);
      }),
    );
  });

  it("differs each time and does not hold the secret", () => {
    const box = boxWith(keyOf("a"));
    const sealed = box.seal(new Secret("sk-planted"), "m1");
    expect(box.seal(new Secret("sk-planted"), "m1")).not.toBe(sealed);
    expect(Buffer.from(sealed.split(":")[2] ?? "", "base64url").toString("latin1")).not.toContain("planted");
  });

  it("does not open for another record, changed, or without its key", () => {
    const box = boxWith(keyOf("a"));
    const sealed = box.seal(new Secret("sk-planted"), "m1");
    const unreadable = /SECRET_UNREADABLE/;
    expect(() => box.open(sealed, "m2")).toThrow(unreadable);
    expect(() => boxWith(keyOf("b")).open(sealed, "m1")).toThrow(unreadable);
    for (const damaged of ["", "v1", "v1:00:aa", sealed.replace("v1", "v2"), sealed.slice(0, -4)]) {
      expect(() => box.open(damaged, "m1")).toThrow(unreadable);
    }
    const last = sealed.at(-10) === "A" ? "B" : "A";
    expect(() => box.open(`${sealed.slice(0, -10)}${last}${sealed.slice(-9)}`, "m1")).toThrow(unreadable);
  });

  it("opens with a key that was before", () => {
    const sealed = boxWith(keyOf("a")).seal(new Secret("sk-planted"), "m1");
    const rotated = boxWith(keyOf("b"), `${keyOf("c")},${keyOf("a")}`);
    expect(rotated.isCurrent(sealed)).toBe(false);
    expect(rotated.open(sealed, "m1").reveal()).toBe("sk-planted");
    expect(rotated.isCurrent(rotated.seal(new Secret("x"), "m1"))).toBe(true);
  });
});

describe("the file of keys", () => {
  it("is made once, for its user alone, and used again", () => {
    const sealed = boxAt("made").seal(new Secret("sk-planted"), "m1");
    expect(boxAt("made").open(sealed, "m1").reveal()).toBe("sk-planted");
    expect(statSync(fileAt("made")).mode & 0o777).toBe(0o600);
    expect(readFileSync(fileAt("made"), "utf8").split("\n").filter(Boolean)).toHaveLength(1);
  });

  it("gets a new key that running nodes use at once, and keeps the old one", () => {
    const running = boxAt("rotated");
    const sealed = running.seal(new Secret("sk-planted"), "m1");
    boxAt("rotated").renewKey();
    expect(running.isCurrent(sealed)).toBe(false);
    expect(running.open(sealed, "m1").reveal()).toBe("sk-planted");
    expect(running.isCurrent(running.seal(new Secret("x"), "m1"))).toBe(true);
  });

  it("is refused when it is damaged or cannot be made", () => {
    boxAt("damaged");
    writeFileSync(fileAt("damaged"), "not a key\n");
    expect(() => boxAt("damaged")).toThrow(/SECRET_KEY_UNUSABLE: .*not 32 bytes/);
    writeFileSync(fileAt("damaged"), "");
    expect(() => boxAt("damaged")).toThrow(/There is no key/);
    writeFileSync(join(folder, "plain"), "");
    expect(() => boxAt("plain")).toThrow(/SECRET_KEY_UNUSABLE: .*(ENOTDIR|EEXIST)/);
  });
});

it("a configured key that is none is refused without being shown", () => {
  expect(() => boxWith("short-planted")).toThrow(/SECRET_KEY_UNUSABLE/);
  expect(() => boxWith("short-planted")).not.toThrow(/planted/);
});
