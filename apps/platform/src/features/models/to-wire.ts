import type { Model } from "@attune/contracts/rest/models.ts";
import type { ModelRow } from "./repo.ts";

/** Whether training can start from a model: its files lie on compute nodes. */
export const canTrain = ({ kind, path }: Pick<ModelRow, "kind" | "path">): boolean => kind !== "api" && path !== null;

/** A model as the API shows it; of its secret only that there is one. */
export function toWire(row: ModelRow): Model {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    kind: row.kind,
    purpose: row.purpose,
    path: row.path,
    can_train: canTrain(row),
    api_url: row.apiUrl,
    api_model: row.apiModel,
    has_secret: row.sealedSecret !== null,
    max_concurrency: row.maxConcurrency,
    requests_per_minute: row.requestsPerMinute,
    is_private: row.isPrivate,
    owner_id: row.ownerId,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
    version: row.version,
  };
}
