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
    // Many tests wait for processes and servers, so no core is kept back.
    maxWorkers: "100%",
    globalSetup: ["packages/testkit/src/global-setup.ts"],
    testTimeout: 30_000,
    hookTimeout: 180_000,
  },
});
