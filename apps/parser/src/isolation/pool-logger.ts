/** The part of the logger that the pool uses. */
export interface PoolLogger {
  /** For what a document may cause any day. */
  debug(facts: object, message: string): void;
  warn(facts: object, message: string): void;
}
