/** What may be wrong with a part of the platform, and what the operator can do about it. */
export const healthReasons = {
  DATABASE_UNAVAILABLE: {
    sentence: "The database does not answer as it should.",
    remedy: "See that its server runs, has room on its disk and is not overloaded, and that DATABASE_URL is right.",
  },
  DATABASE_SLOW: {
    sentence: "The database takes long to answer the smallest question.",
    remedy: "Look at the load and the disk of its server, and at the network between it and the platform.",
  },
  DATABASE_TOO_OLD: {
    sentence: "The database server is older than PostgreSQL 15.",
    remedy: "Bring it to PostgreSQL 15 or newer.",
  },
  MIGRATIONS_MISSING: {
    sentence: "Migrations of this version are not applied to the database.",
    remedy: "Run `node apps/platform/src/main.ts migrate`, or start again with `npm start`, which does it.",
  },
  MIGRATIONS_UNKNOWN: {
    sentence: "The database has migrations that this version does not know: a newer version has run on it.",
    remedy: "Bring this node to the version of the others.",
  },
  CONNECTIONS_EXHAUSTED: {
    sentence: "Requests wait for a connection to the database.",
    remedy: "Raise PLATFORM_DATABASE_CONNECTIONS as far as the server allows, or find the statements that take long.",
  },
  STORE_UNAVAILABLE: {
    sentence: "The object store does not take, give back and remove a small object.",
    remedy: "Check its volume or server, and the rights of the platform there.",
  },
  STORE_SPACE_LOW: {
    sentence: "Little space is left for the object store.",
    remedy: "Make room on its disk, or move the store to a larger one.",
  },
  STORE_OBJECTS_MISSING: {
    sentence: "Objects that the database knows are not in the store.",
    remedy:
      "See that the right volume or bucket is there, then run `npm run attune doctor storage`, which names each one.",
  },
  VERIFICATION_FOUND_FAULTS: {
    sentence: "The last verification found objects that are missing, damaged, unreadable or unknown.",
    remedy: "Bring them back from a backup, then run `npm run attune doctor storage` again.",
  },
  VERIFICATION_UNFINISHED: {
    sentence: "The last verification of the store did not come to its end.",
    remedy: "Run `npm run attune doctor storage` again.",
  },
  PARSER_UNAVAILABLE: {
    sentence: "The parser does not answer.",
    remedy: "See that it runs, what it logs, and that PLATFORM_PARSER_URL is its address.",
  },
  PARSER_NOT_SERVING: {
    sentence: "The parser answers that it cannot parse documents at present.",
    remedy: "See what it logs: its worker processes cannot be started.",
  },
  CLOCK_SKEWED: {
    sentence: "The clocks of this node and of the database server differ.",
    remedy: "Let both follow a time server (NTP): sessions, links and leases end by these clocks.",
  },
  SWEEP_FAILED: {
    sentence: "The last round of work in the background failed.",
    remedy:
      "See the log for why; the next round tries again. Until then nothing is removed, and no job begins, if it is that.",
  },
  SWEEP_LATE: {
    sentence: "A round of work in the background has not come to an end for long.",
    remedy: "See the log for what it waits for, then start the platform again.",
  },
} as const;

export type HealthReason = keyof typeof healthReasons;
export const healthReasonNames = Object.keys(healthReasons) as [HealthReason, ...HealthReason[]];
