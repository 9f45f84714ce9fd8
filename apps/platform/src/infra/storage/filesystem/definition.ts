import type { ObjectStoreDefinition } from "../object-store-definition.ts";
import { createFilesystemStore, filesystemFacts } from "./filesystem-store.ts";

export const filesystemDefinition: ObjectStoreDefinition = {
  ...filesystemFacts,
  findMissing: () => undefined,
  create: ({ filesystem, publicUrl }) => createFilesystemStore({ ...filesystem, publicUrl }),
};
