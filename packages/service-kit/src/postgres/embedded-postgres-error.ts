/** Why the embedded database cannot be had, and what to do; the message is made for whoever runs the program. */
export class EmbeddedPostgresError extends Error {
  override readonly name = "EmbeddedPostgresError";

  constructor(what: string, remedy: string, cause?: unknown) {
    super(`${what.replace(/[.\s]*$/, ".")} ${remedy}`, cause === undefined ? undefined : { cause });
  }
}

/** The way round every failure of the embedded server. */
export const useOwnServer = "Or set DATABASE_URL to a PostgreSQL server of your own.";
