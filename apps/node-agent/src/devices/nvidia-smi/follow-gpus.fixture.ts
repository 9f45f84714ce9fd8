/* Follows the GPUs that the nvidia-smi of the first argument tells, says `ready` when it has seen them, and stays. */
import { writeSync } from "node:fs";
import { createLogger } from "@attune/service-kit/create-logger.ts";
import { createNvidiaSmiProvider } from "./create-nvidia-smi-provider.ts";

const [program = ""] = process.argv.slice(2);
const provider = createNvidiaSmiProvider({ program, intervalMs: 100, logger: createLogger("test", "silent") });
await provider.start();
writeSync(1, "ready");
setInterval(() => provider.latest(), 1000);
