import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { findLimitTools } from "../process/limit-command.ts";

const host = fileURLToPath(new URL("./testing/starved-host.ts", import.meta.url));
const { prlimit } = await findLimitTools();

describe("a service without file descriptors", () => {
  it.skipIf(prlimit === undefined)("tells its callers, lives on, and recovers when it has some again", async () => {
    const { stdout } = await promisify(execFile)(prlimit ?? "", ["--nofile=80", process.execPath, host], {
      timeout: 25_000,
    });
    expect(JSON.parse(stdout)).toEqual({
      lost: "ENGINE_UNAVAILABLE",
      refused: "ENGINE_UNAVAILABLE",
      commandRefused: "ENGINE_UNAVAILABLE",
      recovered: "recovered",
    });
  });
});
