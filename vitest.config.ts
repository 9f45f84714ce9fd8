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
/** Tests that train, serve and export small models for real; they need `npm run setup:python`, and skip without it. */
const training = [
  "apps/node-agent/src/cache/hub.int.test.ts",
  "apps/node-agent/src/runs/truth/trainer-faults.int.test.ts",
  "e2e/{export,inference,llamafactory,schedulers,serve,trainer}/**/*.test.ts",
  "e2e/node-agent/python.test.ts",
];
const never = ["**/node_modules/**", "**/dist/**"];

export default defineConfig({
  test: {
    projects: [
      { extends: true, test: { name: "pure", include: pure, exclude: never, isolate: false } },
      { extends: true, test: { name: "whole", include: all, exclude: [...never, ...pure, ...training] } },
      { extends: true, test: { name: "training", include: training, exclude: never } },
    ],
    pool: "forks",
    // Many tests wait for processes and servers, so that there is work for one more than there are cores.
    maxWorkers: availableParallelism() + 1,
    globalSetup: ["packages/testkit/src/global-setup.ts"],
    testTimeout: 30_000,
    hookTimeout: 180_000,
  },
});
