/** The part of the logger that the pool uses; diagnostics are of the document's making and belong in the log only. */
export interface PoolLogger {
  warn(facts: object, message: string): void;
}
