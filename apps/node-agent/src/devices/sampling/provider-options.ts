import type { Logger } from "@attune/service-kit/create-logger.ts";

export interface ProviderOptions {
  /** How often the GPUs are looked at. */
  readonly intervalMs: number;
  readonly logger: Logger;
}
