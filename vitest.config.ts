import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: [
      "apps/**/*.test.ts",
      "packages/**/*.test.ts",
      "tools/**/*.test.ts",
      "bench/**/*.test.ts",
      "e2e/**/*.test.ts",
    ],
    pool: "forks",
    // Many tests wait for processes and servers, so that there is work for one more than there are cores.
    maxWorkers: availableParallelism() + 1,
    globalSetup: ["packages/testkit/src/global-setup.ts"],
    testTimeout: 30_000,
    hookTimeout: 180_000,
  },
});
