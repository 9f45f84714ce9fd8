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
    globalSetup: ["packages/testkit/src/global-setup.ts"],
    testTimeout: 30_000,
    hookTimeout: 180_000,
  },
});
