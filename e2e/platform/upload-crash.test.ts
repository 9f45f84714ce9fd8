import { createHash } from "node:crypto";
import { request } from "node:http";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type ApiClient, createClient, ProblemError } from "@attune/contracts/rest/create-client.ts";
import { downloadDataset } from "@attune/contracts/rest/dataset-downloads.ts";
import {
  appendToDatasetUpload,
  completeDatasetUpload,
  createDatasetUpload,
  getDatasetUpload,
} from "@attune/contracts/rest/dataset-uploads.ts";
import { createDataset, getDataset } from "@attune/contracts/rest/datasets.ts";
import { changePassword, signIn } from "@attune/contracts/rest/identity.ts";
import { type FakeS3, startFakeS3 } from "@attune/testkit/s3-fixture-fake.ts";
import { createTestDatabase, type TestDatabase } from "@attune/testkit/test-database.ts";
import { withClient } from "@attune/testkit/with-client.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type PlatformProcess, startPlatform } from "./start-platform.ts";

const pieceBytes = 8 * 2 ** 20;
/** 17 MiB in 2,000 rows. */
const file = Buffer.from(
  Array.from({ length: 2_000 }, (_, row) => {
    return `${JSON.stringify({ instruction: `question ${row}`, output: `${row} `.repeat(2_000) })}\n`;
  }).join(""),
);
const sha256 = createHash("sha256").update(file).digest("hex");
const password = "a test's own password";

let folder: string;
let s3: FakeS3;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "attune-upload-"));
  s3 = await startFakeS3();
  await s3.createBucket("objects");
});
afterAll(async () => {
  await s3[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

const stores: readonly (readonly [name: string, settings: () => Record<string, string>])[] = [
  ["the file system", () => ({ PLATFORM_STORE_PATH: join(folder, "objects") })],
  [
    "S3",
    () => ({
      PLATFORM_STORE: "s3",
      PLATFORM_S3_BUCKET: "objects",
      PLATFORM_S3_ENDPOINT: s3.endpoint,
      PLATFORM_S3_REGION: s3.region,
      PLATFORM_S3_ACCESS_KEY_ID: s3.accessKeyId,
      PLATFORM_S3_SECRET_ACCESS_KEY: s3.secretAccessKey,
    }),
  ],
];

describe.each(stores)("an upload to %s", { timeout: 300_000 }, (_, store) => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());

  const start = () =>
    startPlatform(database.url, { ATTUNE_DATA_DIR: folder, PLATFORM_STORAGE_LEASE_SECONDS: "5", ...store() });

  test("goes on where it was when the platform is killed while bytes come and while it is completed", async () => {
    const first = await start();
    const token = await enter(first);
    const { datasetId, at } = await begin(clientOf(first, token));

    sendBeginning(first, { token, ...at.params });
    const isKept = async () => (await clientOf(first, token).call(getDatasetUpload, at)).body.offset === pieceBytes;
    await expect.poll(isKept, { timeout: 120_000 }).toBe(true);
    await kill(first);

    const second = await start();
    const { offset } = (await clientOf(second, token).call(getDatasetUpload, at)).body;
    expect(offset).toBe(pieceBytes);
    const rest = { ...at, query: { offset }, upload: new Uint8Array(file.subarray(offset)) };
    await clientOf(second, token).call(appendToDatasetUpload, rest);
    const completion = clientOf(second, token)
      .call(completeDatasetUpload, at)
      .catch(() => undefined);
    const hasBegun = async () => (await clientOf(second, token).call(getDatasetUpload, at)).body.state !== "open";
    await expect.poll(hasBegun, { timeout: 120_000, interval: 5 }).toBe(true);
    await kill(second);
    await completion;

    await using third = await start();
    const client = clientOf(third, token);
    const { body } = await whenFree(() => client.call(completeDatasetUpload, at));
    expect(body.version).toMatchObject({ version_no: 1, record_count: 2_000, size: file.length });
    expect((await client.call(getDataset, { params: { dataset_id: datasetId } })).body.version_no).toBe(1);
    const download = await client.open(downloadDataset, { params: { dataset_id: datasetId } });
    const bytes = Buffer.from(await download.arrayBuffer());
    expect(createHash("sha256").update(bytes).digest("hex")).toBe(sha256);
    expect(await countRemains(database)).toBe(0);
  });
});

const clientOf = ({ url }: PlatformProcess, token?: string): ApiClient =>
  createClient({ baseUrl: url, token: () => token });

async function enter(node: PlatformProcess): Promise<string> {
  const first = node.firstAdmin;
  if (first === undefined) throw new Error(`Nobody was made: ${node.output()}`);
  const { token } = (await clientOf(node).call(signIn, { body: first })).body;
  const change = { current_password: first.password, new_password: password };
  await clientOf(node, token).call(changePassword, { body: change });
  return token;
}

async function begin(client: ApiClient) {
  const dataset = await client.call(createDataset, { body: { name: "Large" } });
  const params = { dataset_id: dataset.body.id };
  const body = { name: "large.jsonl", size: file.length, sha256 };
  const upload = await client.call(createDatasetUpload, { params, body });
  return { datasetId: dataset.body.id, at: { params: { ...params, upload_id: upload.body.id } } };
}

/** Announces the whole file and sends a bit more than a piece. */
function sendBeginning(
  { url }: PlatformProcess,
  given: { readonly token: string; readonly dataset_id: string; readonly upload_id: string },
): void {
  const path = `/api/v1/datasets/${given.dataset_id}/uploads/${given.upload_id}?offset=0`;
  const headers = { authorization: `Bearer ${given.token}`, "content-length": file.length };
  const sending = request(url + path, { method: "PATCH", headers });
  sending.on("error", () => {});
  sending.write(file.subarray(0, pieceBytes + 5_000));
}

async function kill(node: PlatformProcess): Promise<void> {
  node.signal("SIGKILL");
  await node.ended;
}

/** Again until nobody else completes it: who was killed counts as alive for a while. */
async function whenFree<T>(call: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof ProblemError && error.problem.reason === "DATASET_UPLOAD_BUSY")) throw error;
      await sleep(200);
    }
  }
}

/** What is left of the pieces of uploads. */
const countRemains = ({ url }: TestDatabase): Promise<number> =>
  withClient(url, async (client) => {
    const { rows } = await client.query<{ count: string }>(`
      select (select count(*) from dataset_upload_pieces)
        + (select count(*) from files where owner_kind = 'dataset_upload') as count`);
    return Number(rows[0]?.count);
  });
