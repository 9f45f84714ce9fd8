import { ListMultipartUploadsCommand, ListObjectsV2Command, S3Client } from "@aws-sdk/client-s3";
import { Secret } from "@attune/service-kit/secret.ts";
import { type FakeS3, startFakeS3 } from "@attune/testkit/s3-fixture-fake.ts";
import { findSwiftObstacle, startSwift } from "@attune/testkit/s3-fixture-swift.ts";
import type { S3Fixture } from "@attune/testkit/s3-fixture.ts";
import { describeObjectStore } from "../object-store.contract.ts";
import type { StoreFixture } from "../store-fixture.contract.ts";
import { defaultS3Settings } from "./s3-connection.ts";
import { createS3Store } from "./s3-store.ts";

describeObjectStore("S3, the fake server", async () => {
  const server = await startFakeS3();
  return { ...(await startStore(server)), ...countArrivals(server) };
});

const obstacle = await findSwiftObstacle();
if (obstacle === undefined) describeObjectStore("S3, OpenStack Swift", async () => startStore(await startSwift()));
else console.warn(`skipped: the object store on OpenStack Swift: ${obstacle}`);

async function startStore(server: S3Fixture): Promise<StoreFixture> {
  await server.createBucket("attune-objects");
  const { endpoint, region, accessKeyId } = server;
  const secretAccessKey = new Secret(server.secretAccessKey);
  const access = { bucket: "attune-objects", endpoint, region, accessKeyId, secretAccessKey };
  const store = createS3Store({ ...defaultS3Settings, ...access });
  const client = new S3Client({
    endpoint,
    region,
    forcePathStyle: true,
    credentials: { accessKeyId, secretAccessKey: server.secretAccessKey },
  });
  const bucket = { Bucket: "attune-objects" };
  return {
    store,
    countLeftovers: async () => {
      const { KeyCount = 0 } = await client.send(new ListObjectsV2Command({ ...bucket, Prefix: "attune/staging/" }));
      const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand(bucket));
      return KeyCount + Uploads.length;
    },
    [Symbol.asyncDispose]: async () => {
      client.destroy();
      await store.close();
      await server[Symbol.asyncDispose]();
    },
  };
}

/** One part is being collected, others are on their way, and one may wait for its place. */
function countArrivals(server: FakeS3) {
  const { partBytes, partsAtOnce } = defaultS3Settings;
  return {
    countArrivedBytes: async () => server.receivedBytes,
    inFlightBytes: (partsAtOnce + 1) * partBytes + 2 ** 20,
  };
}
