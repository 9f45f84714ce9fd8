import { mkdtemp, readdir, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { startHttpFixture } from "@attune/testkit/http-fixture.ts";
import { startFakeS3 } from "@attune/testkit/s3-fixture-fake.ts";
import { expect, it } from "vitest";
import { createOutboundHttp } from "./outbound/guarded-http.ts";
import { defaultOutboundSettings } from "./outbound/outbound-settings.ts";
import { createSources } from "./sources.ts";
import { defaultHttpSourceSettings } from "./sources/http/http-source.ts";
import { defaultS3SourceSettings } from "./sources/s3/s3-source.ts";
import { createSpool } from "./spool/create-spool.ts";

const body = Buffer.from(Array.from({ length: 300_000 }, (_, index) => (index * 13) & 255));

it("every source brings the same bytes into the spool, which keeps nothing of them", async () => {
  await using server = await startHttpFixture((_request, response) => response.end(body));
  await using s3 = await startFakeS3();
  await s3.createBucket("documents");
  await s3.putObject({ bucket: "documents", key: "file.bin" }, { body });
  const folder = await realpath(await mkdtemp(join(tmpdir(), "sources-")));
  await writeFile(join(folder, "file.bin"), body);
  const workDirectory = join(folder, "work");
  const spool = await createSpool({ workDirectory, maxBytes: 1 << 20, memoryBytes: 100_000 });
  const http = createOutboundHttp({ ...defaultOutboundSettings, allowedHosts: [`127.0.0.1:${server.port}`] });
  const { endpoint, region, accessKeyId, secretAccessKey } = s3;
  const settings = {
    http: defaultHttpSourceSettings,
    s3: { ...defaultS3SourceSettings, endpoint, region, accessKeyId, secretAccessKey, buckets: ["documents"] },
    file: { roots: [folder], isHardLinkAllowed: false },
    data: { maxBytes: 1 << 20 },
  };
  const sources = createSources(settings, { http });
  const urls = [
    `${server.origin}/file.bin`,
    "s3://documents/file.bin",
    pathToFileURL(join(folder, "file.bin")).href,
    `data:application/octet-stream;base64,${body.toString("base64")}`,
  ];
  const { signal } = new AbortController();
  for (const url of urls) {
    const source = sources.find(({ schemes }) => schemes.includes(url.split(":")[0] ?? ""));
    const opened = await source?.open(url, signal);
    if (opened === undefined) throw new Error(`no source for ${url}`);
    await using file = await spool.store(opened, signal);
    expect(body.equals(await file.readBytes())).toBe(true);
  }
  const schemes = sources.flatMap((source) => source.schemes);
  expect([...new Set(schemes)]).toEqual(["http", "https", "s3", "file", "data"]);
  const [own = ""] = await readdir(workDirectory);
  expect(await readdir(join(workDirectory, own))).toEqual([]);
  await spool.close();
  await http.close();
  await rm(folder, { recursive: true, force: true });
});
