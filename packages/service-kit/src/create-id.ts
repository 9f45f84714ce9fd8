import { randomUUIDv7 } from "node:crypto";

/** A new id: a UUID of version 7 (RFC 9562), which grows with time and so keeps indexes dense. */
export const createId = (): string => randomUUIDv7();
