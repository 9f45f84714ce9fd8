import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { expect, test } from "vitest";
import {
  ConfigError,
  flagSetting,
  integerSetting,
  listSetting,
  loadSettings,
  secretSetting,
  urlSetting,
} from "./load-config.ts";

const shape = {
  APP_PORT: integerSetting({ min: 0, max: 65_535, fallback: 50_051 }, "Port"),
  APP_TOKEN: secretSetting("Token"),
  APP_HOSTS: listSetting("Hosts"),
  APP_OPEN: flagSetting(false, "Open"),
};

test("an empty environment gives the defaults", () => {
  expect(loadSettings(shape, { APP_PORT: "" }, "APP_")).toEqual({ APP_PORT: 50_051, APP_HOSTS: [], APP_OPEN: false });
});

test("every fault is told at once, a misspelt key too", () => {
  const load = () => loadSettings(shape, { APP_PORT: "70000", APP_OPEN: "maybe", APP_PROT: "1" }, "APP_");
  expect(load).toThrow(ConfigError);
  expect(load).toThrow(/3 fault\(s\)[\s\S]*APP_PROT: there is no such setting[\s\S]*APP_PORT: must be[\s\S]*APP_OPEN/);
});

test("a secret is read from the file its _FILE key names, and never shows", () => {
  const path = join(mkdtempSync(join(tmpdir(), "config-")), "token");
  writeFileSync(path, "s3cret\n");

  const settings = loadSettings(shape, { APP_TOKEN_FILE: path }, "APP_");

  expect(settings.APP_TOKEN?.reveal()).toBe("s3cret");
  expect(`${inspect(settings)} ${JSON.stringify(settings)} ${String(settings.APP_TOKEN)}`).not.toContain("s3cret");
});

test("a secret given twice, or in a file that cannot be read, is a fault", () => {
  expect(() => loadSettings(shape, { APP_TOKEN: "a", APP_TOKEN_FILE: "/b" }, "APP_")).toThrow(/not both/);
  expect(() => loadSettings(shape, { APP_TOKEN_FILE: "/does/not/exist" }, "APP_")).toThrow(/cannot be read/);
});

test("a secret that could never be sent in a header, and an empty secret file, are faults", () => {
  const path = join(mkdtempSync(join(tmpdir(), "config-")), "token");
  writeFileSync(path, "\n");
  expect(() => loadSettings(shape, { APP_TOKEN: "two words" }, "APP_")).toThrow(/APP_TOKEN: must be visible ASCII/);
  expect(() => loadSettings(shape, { APP_TOKEN_FILE: path }, "APP_")).toThrow(/APP_TOKEN_FILE: the file is empty/);
});

test("_FILE of a key that is no secret is a fault, since it would be ignored", () => {
  expect(() => loadSettings(shape, { APP_PORT_FILE: "/port" }, "APP_")).toThrow(
    /APP_PORT_FILE: there is no such setting/,
  );
});

test.each(["nope", "tika:9998", "ftp://host", "http://user@host", "http://host/?a=b"])(
  "%s is no URL of a service",
  (url) => {
    expect(() => loadSettings({ APP_URL: urlSetting("URL") }, { APP_URL: url }, "APP_")).toThrow(
      /APP_URL: must be a URL/,
    );
  },
);
