import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createClient } from "@attune/contracts/rest/create-client.ts";
import { createDataset, uploadDatasetFile } from "@attune/contracts/rest/datasets.ts";
import { changePassword, signIn } from "@attune/contracts/rest/identity.ts";
import { getSystemStorage } from "@attune/contracts/rest/system.ts";
import { expect, test } from "vitest";
import { makeInstallation, type RunningAttune } from "./start-attune.ts";

const hasProc = existsSync("/proc/self/stat");
const timeoutMs = 900_000;

/** A client of the first administrator, whose password the start told. */
async function signInFirst({ url, output }: RunningAttune) {
  const [, email = "", given = ""] = /\n {4}(\S+@\S+) {4}(\S+)\n/.exec(output()) ?? [];
  let token: string | undefined;
  const client = createClient({ baseUrl: url, token: () => token, tenantId: () => undefined });
  token = (await client.call(signIn, { body: { email, password: given } })).body.token;
  await client.call(changePassword, {
    body: { current_password: given, new_password: "correct horse battery staple" },
  });
  return client;
}

function listObjects(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return names.filter((name) => name.endsWith(".object")).sort();
}

const keyOf = (name: string): string => name.replace(/\.object$/, "");

test.skipIf(!hasProc)(
  "what is missing, damaged or unknown in the local data folder is told row by row, with what to do, and status 1",
  { timeout: timeoutMs },
  async () => {
    await using installation = await makeInstallation({ PLATFORM_INLINE_MAX_KIB: "0" });
    const doctor = () => installation.run("doctor", "storage");
    // Nothing to compare with is no good news, and nothing is made by asking.
    expect(doctor()).toEqual({ status: 1, output: expect.stringMatching(/There is no database in .*ATTUNE_DATA_DIR/) });
    expect(existsSync(installation.dataFolder)).toBe(false);

    const attune = await installation.start();
    const client = await signInFirst(attune);
    for (const name of ["One", "Two", "Three"]) {
      const { body } = await client.call(createDataset, { body: { name } });
      const upload = `${JSON.stringify({ instruction: `Say ${name}.`, output: name })}\n`;
      await client.call(uploadDatasetFile, { params: { dataset_id: body.id }, query: { name: "rows.jsonl" }, upload });
    }
    const report = installation.run("doctor").output;
    expect(report).toMatch(/^(?:ok {4}The object store filesystem takes|warn {2}Little space)/m);
    expect(report).toMatch(/^ok {4}The embedded database in .* runs, PostgreSQL \d+/m);
    expect(doctor()).toEqual({ status: 0, output: expect.stringMatching(/ok {3}.* 0 faults/) });

    const objects = join(installation.dataFolder, "objects/objects");
    const [missing = "", damaged = "", kept = ""] = listObjects(objects);
    rmSync(join(objects, missing));
    writeFileSync(join(objects, damaged), Buffer.alloc(statSync(join(objects, damaged)).size, "x"));
    mkdirSync(join(objects, "nobody"), { recursive: true });
    writeFileSync(join(objects, "nobody/knows.object"), "x");
    const judge = ({ status, output }: ReturnType<typeof doctor>): void => {
      expect(status).toBe(1);
      const rows = output.split("\n").filter((line) => line.includes("FAIL"));
      expect(rows).toHaveLength(4);
      const row = (text: string, remedy: string) => rows.some((one) => one.includes(text) && one.includes(remedy));
      expect(row(`missing ${keyOf(missing)} (of `, "bring it back from a backup")).toBe(true);
      expect(row(`damaged ${keyOf(damaged)} (of `, "bring it back from a backup")).toBe(true);
      expect(row("unknown nobody/knows", "delete it by hand")).toBe(true);
      expect(output).toContain("3 faults");
      expect(output).not.toContain(keyOf(kept));
    };
    judge(doctor());
    const { body } = await client.call(getSystemStorage, { query: {} });
    expect(body.last_verification).toMatchObject({ fault_count: 3, failure: null });
    expect(installation.run("doctor")).toEqual({
      status: 1,
      output: expect.stringMatching(/^fail {2}(?:Objects that the database knows|The last verification)/m),
    });
    await attune.end("SIGTERM");
    // The database is started for it, and ends with it.
    judge(doctor());
    expect(installation.run("doctor").output).toMatch(/^ok {4}The embedded database in .* is not running/m);

    // A volume that is not mounted is told as one fault, and no empty store is made in its place.
    renameSync(join(installation.dataFolder, "objects"), join(installation.dataFolder, "away"));
    const unmounted = doctor();
    expect(unmounted.status).toBe(1);
    expect(unmounted.output).toMatch(/FAIL The folder \S+ of the store is not there, and \d objects belong there/);
    expect(existsSync(join(installation.dataFolder, "objects"))).toBe(false);
  },
);
