import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

const all = [
  "apps/**/*.test.ts",
  "packages/**/*.test.ts",
  "tools/**/*.test.ts",
  "bench/**/*.test.ts",
  "e2e/**/*.test.ts",
];
/** Tests of pure functions: they change nothing that the next file sees, and so share the modules that they load. */
const pure = [
  "apps/parser/src/{containers,detection,document,math,readers,spreadsheet,text,xml}/**/*.test.ts",
  "packages/metrics/**/*.test.ts",
];
const never = ["**/node_modules/**", "**/dist/**"];

export default defineConfig({
  test: {
    projects: [
      { extends: true, test: { name: "pure", include: pure, exclude: never, isolate: false } },
      { extends: true, test: { name: "whole", include: all, exclude: [...never, ...pure] } },
    ],
    pool: "forks",
    // Many tests wait for processes and servers, so that there is work for one more than there are cores.
    maxWorkers: availableParallelism() + 1,
    globalSetup: ["packages/testkit/src/global-setup.ts"],
    testTimeout: 30_000,
    hookTimeout: 180_000,
  },
});
