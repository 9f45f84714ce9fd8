import { join } from "node:path";

/** The repository's root, where the programs and the file `.env` lie. */
export const repositoryFolder = join(import.meta.dirname, "../../..");

export const programs = {
  platform: join(repositoryFolder, "apps/platform/src/main.ts"),
  nodeAgent: join(repositoryFolder, "apps/node-agent/src/main.ts"),
  parser: join(repositoryFolder, "apps/parser/src/main.ts"),
} as const;
