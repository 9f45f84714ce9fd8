import {
  createDataset,
  editDatasetRows,
  listDatasets,
  listDatasetVersions,
  uploadDatasetFile,
} from "@attune/contracts/rest/datasets.ts";
import type { TestUser } from "../../apps/platform/src/testing/start-test-platform.ts";
import { atOnce, inAnyCase, isDone, judgeOne } from "./at-once.ts";

export async function raceDatasetNames({ client }: TestUser, round: number): Promise<string | undefined> {
  const name = `Race ${round}`;
  const outcomes = await atOnce((caller) => client.call(createDataset, { body: { name: inAnyCase(name, caller) } }));
  const { body } = await client.call(listDatasets, { query: { search: name, limit: 200 } });
  const made = body.items.filter((one) => one.name.toLowerCase() === name.toLowerCase()).length;
  return judgeOne(outcomes, "DATASET_NAME_TAKEN") ?? (made === 1 ? undefined : `${made} datasets of one name`);
}

const rowOf = (text: string): string => JSON.stringify({ instruction: text, output: text });

/**
 * All edit version 1, of which one is saved; then all upload, and every version that was made has the
 * number after the one before.
 */
export async function raceRowEdits({ client }: TestUser, round: number): Promise<string | undefined> {
  const { body: dataset } = await client.call(createDataset, { body: { name: `Rows ${round}` } });
  const params = { dataset_id: dataset.id };
  const upload = (name: string) =>
    client.call(uploadDatasetFile, { params, query: { name }, upload: `${rowOf("first")}\n` });
  await upload("first.jsonl");
  const outcomes = await atOnce((caller) =>
    client.call(editDatasetRows, {
      params,
      body: { edits: [{ op: "replace", row: 1, text: rowOf(`by ${caller}`) }] },
      ifMatch: '"1"',
    }),
  );
  const fault = judgeOne(outcomes, "VERSION_CONFLICT");
  if (fault !== undefined) return fault;
  const uploaded = await atOnce((caller) => upload(`${caller}.jsonl`));
  const uploads = uploaded.filter(isDone).length;
  const others = uploaded.flatMap((one) => (isDone(one) || one.reason === "VERSION_CONFLICT" ? [] : one.reason));
  const { body } = await client.call(listDatasetVersions, { params, query: { limit: 200 } });
  const numbers = body.items.map(({ version_no: number }) => number).toSorted((a, b) => a - b);
  const wanted = Array.from({ length: 2 + uploads }, (_, index) => index + 1);
  const isRight = uploads > 0 && others.length === 0 && JSON.stringify(numbers) === JSON.stringify(wanted);
  return isRight ? undefined : `${uploads} uploads (${others.join(", ")}), versions ${numbers.join(" ")}`;
}
