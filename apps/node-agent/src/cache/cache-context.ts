import type { Logger } from "@attune/service-kit/create-logger.ts";
import type { CacheSettings } from "./cache-settings.ts";
import type { CacheStep } from "./cache-step.ts";
import type { CacheTasks } from "./cache-tasks.ts";
import type { CacheFolders } from "./disk/cache-folders.ts";
import type { SourceHttp } from "./download/source-http.ts";
import type { OneAfterAnother } from "./one-after-another.ts";
import type { UsersOf } from "./users-of.ts";

/** What the operations of the cache share. */
export interface CacheContext {
  readonly folders: CacheFolders;
  readonly settings: CacheSettings;
  readonly logger: Logger;
  readonly step: CacheStep;
  readonly tasks: CacheTasks;
  /** What begins or ends work on an entry, or removes it, is done in here: none of it meets another half done. */
  readonly oneAfterAnother: OneAfterAnother;
  readonly http: SourceHttp;
  /** Takes down which jobs and loaded models use what. */
  readonly takeUses: () => UsersOf;
}
