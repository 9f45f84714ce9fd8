/*
 * A process of its own that looks at the GPUs through NVML, because a driver that hangs or crashes must not take the agent with
 * it. Writes one NvmlLook per line; `probe` ends with status 3 when NVML is not on this machine.
 */
import { writeSync } from "node:fs";
import { createNvmlLook } from "./look-with-nvml.ts";
import { NvmlMissingError, openNvml } from "./open-nvml.ts";

const [mode, path = "", intervalMs = ""] = process.argv.slice(2);

function end(error: unknown): never {
  writeSync(2, `${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(error instanceof NvmlMissingError ? 3 : 1);
}

try {
  const look = createNvmlLook(await openNvml(path));
  if (mode === "follow") {
    const tell = (): void => {
      try {
        writeSync(1, `${JSON.stringify(look())}\n`);
      } catch (error) {
        end(error);
      }
    };
    tell();
    setInterval(tell, Number(intervalMs));
  }
} catch (error) {
  end(error);
}
