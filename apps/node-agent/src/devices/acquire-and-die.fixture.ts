/*
 * Takes up the leases of the file that it is given, acquires a GPU for job:new and says so; kills itself with SIGKILL before
 * the step of writing whose number it is given, or in the middle of it where the step writes bytes.
 */
import { writeSync } from "node:fs";
import fs, { type FileHandle } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { createLogger } from "@attune/service-kit/create-logger.ts";
import { createFakeDevices } from "./devices.fixture.ts";

const [path = "", lastStep = ""] = process.argv.slice(2);
let step = 0;

const dieAt = (): boolean => ++step === Number(lastStep);
const die = (): never => {
  process.kill(process.pid, "SIGKILL");
  // The signal comes before anything else of this process runs on.
  for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1000);
};

const { open, rename } = fs;
fs.open = async (...parameters) => {
  if (dieAt()) die();
  return watched(await open(...parameters));
};
fs.rename = async (...parameters) => {
  if (dieAt()) die();
  await rename(...parameters);
};

function watched(file: FileHandle): FileHandle {
  const writeFile = file.writeFile.bind(file);
  const sync = file.sync.bind(file);
  const close = file.close.bind(file);
  file.writeFile = async (data) => {
    if (dieAt()) {
      writeSync(file.fd, Buffer.from(data as string).subarray(0, 60));
      die();
    }
    await writeFile(data);
  };
  file.sync = async () => {
    if (dieAt()) die();
    await sync();
  };
  file.close = async () => {
    if (dieAt()) die();
    await close();
  };
  return file;
}
syncBuiltinESMExports();

// Loaded after the file system was exchanged.
const { createGpuLeases } = await import("./create-gpu-leases.ts");
const leases = await createGpuLeases({
  path,
  devices: createFakeDevices(4),
  processes: { isAlive: (holder) => holder === "job:old", holderOf: () => undefined },
  findClaims: () => Promise.resolve([]),
  logger: createLogger("test", "silent"),
});
const before = step;
const lease = await leases.acquire("job:new", { mode: "explicit", indices: [1] });
writeSync(1, JSON.stringify({ token: lease?.token, steps: step - before }));
await leases.close();
