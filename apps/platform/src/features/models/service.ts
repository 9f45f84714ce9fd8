import type { BodyOf } from "@attune/contracts/rest/define-route.ts";
import type { createModel, editModel } from "@attune/contracts/rest/models.ts";
import { AppError } from "@attune/service-kit/app-error.ts";
import { createId } from "@attune/service-kit/create-id.ts";
import { Secret } from "@attune/service-kit/secret.ts";
import type { Queries } from "../../infra/db/create-database.ts";
import type { ModelApis } from "../../infra/model-api/create-model-apis.ts";
import type { ModelApi } from "../../infra/model-api/model-api.ts";
import { parseApiUrl } from "../../infra/model-api/parse-api-url.ts";
import type { SecretBox } from "../../infra/secrets/secret-box.ts";
import { insertModel, type ModelChange, type ModelRow, updateModel } from "./repo.ts";

export interface ModelDeps {
  readonly modelApis: ModelApis;
  readonly secretBox: SecretBox;
}

export interface ModelOwner {
  readonly tenantId: string;
  readonly userId: string;
}

/** A secret is sealed for one record, so that a copy of it in another one does not open. */
export const secretOwnerOf = (id: string): string => `models/${id}`;

/** @throws AppError `MODEL_NAME_TAKEN`, `MODEL_API_URL_INVALID`. */
export async function addModel(
  queries: Queries,
  body: BodyOf<typeof createModel>,
  { tenantId, userId, secretBox }: ModelOwner & Pick<ModelDeps, "secretBox">,
): Promise<ModelRow> {
  const id = createId();
  const now = new Date();
  const { name, description, purpose, kind, is_private: isPrivate } = body;
  const shared = {
    id,
    tenantId,
    ownerId: userId,
    isPrivate,
    name,
    description,
    kind,
    purpose,
    createdAt: now,
    updatedAt: now,
  };
  if (body.kind === "base") return insertModel(queries, { ...shared, path: body.path });
  return insertModel(queries, {
    ...shared,
    apiUrl: parseApiUrl(body.api_url),
    apiModel: body.api_model,
    sealedSecret: body.secret === undefined ? null : secretBox.seal(new Secret(body.secret), secretOwnerOf(id)),
    maxConcurrency: body.max_concurrency,
    requestsPerMinute: body.requests_per_minute,
  });
}

type Edit = BodyOf<typeof editModel>;

/**
 * Changes a model that was read before in `version`.
 * @throws AppError `REQUEST_INVALID` for what its kind does not have, and for another server without the secret;
 * `VERSION_CONFLICT`, `MODEL_NAME_TAKEN`, `MODEL_API_URL_INVALID`.
 */
export async function changeModel(
  queries: Queries,
  model: ModelRow,
  { edit, version, secretBox }: { readonly edit: Edit; readonly version: number } & Pick<ModelDeps, "secretBox">,
): Promise<ModelRow> {
  // What is judged below was read in this very version, which the update demands again.
  if (model.version !== version) throw new AppError("VERSION_CONFLICT");
  refuseOfOtherKind(model, edit);
  const apiUrl = edit.api_url === undefined ? undefined : parseApiUrl(edit.api_url);
  refuseServerWithoutSecret(model, edit, apiUrl);
  const sealedSecret =
    typeof edit.secret === "string" ? secretBox.seal(new Secret(edit.secret), secretOwnerOf(model.id)) : edit.secret;
  const change: ModelChange = {
    name: edit.name,
    description: edit.description,
    purpose: edit.purpose,
    isPrivate: edit.is_private,
    path: edit.path,
    apiUrl,
    apiModel: edit.api_model,
    sealedSecret,
    maxConcurrency: edit.max_concurrency,
    requestsPerMinute: edit.requests_per_minute,
  };
  return updateModel(queries, { id: model.id, tenantId: model.tenantId, version }, change);
}

const ofApiOnly = ["api_url", "api_model", "secret", "max_concurrency", "requests_per_minute"] as const;

function refuseOfOtherKind({ kind }: ModelRow, edit: Edit): void {
  const foreign = (kind === "api" ? (["path"] as const) : ofApiOnly).filter((key) => edit[key] !== undefined);
  if (foreign.length === 0) return;
  const message = `a model of the kind \`${kind}\` does not have it`;
  throw new AppError("REQUEST_INVALID", { violations: foreign.map((key) => ({ pointer: `/body/${key}`, message })) });
}

// Whoever may edit a model must not be able to send its secret, which nobody can read, to a server of their own.
function refuseServerWithoutSecret({ apiUrl, sealedSecret }: ModelRow, edit: Edit, changed: string | undefined): void {
  const isElsewhere = changed !== undefined && apiUrl !== null && new URL(changed).origin !== new URL(apiUrl).origin;
  if (!isElsewhere || sealedSecret === null || edit.secret !== undefined) return;
  const message = "must be given again, because api_url leads to another server; null removes it";
  throw new AppError("REQUEST_INVALID", { violations: [{ pointer: "/body/secret", message }] });
}

/**
 * A client of a model that is called through an API.
 * @throws AppError `MODEL_NOT_API`, `SECRET_UNREADABLE`.
 */
export function openModelApi(model: ModelRow, { modelApis, secretBox }: ModelDeps): ModelApi {
  const { id, apiUrl, apiModel, sealedSecret, maxConcurrency, requestsPerMinute } = model;
  if (apiUrl === null || apiModel === null) throw new AppError("MODEL_NOT_API");
  return modelApis.open({
    apiUrl,
    apiModel,
    ...(sealedSecret !== null && { secret: secretBox.open(sealedSecret, secretOwnerOf(id)) }),
    ...(maxConcurrency !== null && { maxConcurrency }),
    ...(requestsPerMinute !== null && { requestsPerMinute }),
  });
}
