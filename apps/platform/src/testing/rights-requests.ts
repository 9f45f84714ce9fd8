import type { RouteContract } from "@attune/contracts/rest/define-route.ts";
import type { ApiClient } from "@attune/contracts/rest/create-client.ts";
import { grantAccess } from "@attune/contracts/rest/acls.ts";
import { createApiToken, getUser } from "@attune/contracts/rest/identity.ts";
import { getTenant } from "@attune/contracts/rest/tenants.ts";
import { addApiModel, addBaseModel } from "./make-models.ts";
import { jobRequests } from "./rights-job-requests.ts";
import { datasetRequests } from "./rights-dataset-requests.ts";
import type { TestPlatform, TestUser } from "./start-test-platform.ts";

interface RequestInput {
  readonly params?: Record<string, string>;
  readonly query?: Record<string, unknown>;
  readonly body?: unknown;
  readonly upload?: NonNullable<RequestInit["body"]>;
  readonly ifMatch?: string;
  readonly headers?: Record<string, string>;
}

type MakeRequest = (run: TestPlatform, actor: TestUser) => Promise<RequestInput>;

let count = 0;
const fresh = (): string => `rights-${++count}`;
const aMember = async (run: TestPlatform): Promise<{ params: { user_id: string } }> => ({
  params: { user_id: (await run.addMember("viewer")).id },
});
const aModel = async ({ operator }: TestPlatform): Promise<{ params: { model_id: string } }> => ({
  params: { model_id: (await addBaseModel(operator)).body.id },
});
const ofTenant = async ({ operator }: TestPlatform): Promise<string> =>
  (await operator.client.call(getTenant, {})).etag ?? "";

const ofAModel = async (run: TestPlatform) => ({
  params: { resource_kind: "model" as const, resource_id: (await aModel(run)).params.model_id },
});

/** Requests that would succeed for whoever has the right, on records of the first tenant that were made for them. */
export const rightsRequests: Readonly<Record<string, MakeRequest>> = {
  ...datasetRequests,
  ...jobRequests,
  signIn: async (_, { email, password }) => ({ body: { email, password } }),
  changePassword: async (_, { password }) => ({
    body: { current_password: password, new_password: `${fresh()} long enough` },
  }),
  createTenant: async () => ({
    body: { name: fresh(), owner_email: `${fresh()}@example.com`, owner_display_name: "Owner" },
  }),
  renameTenant: async (run) => ({ body: { name: fresh() }, ifMatch: await ofTenant(run) }),
  getUser: aMember,
  addUser: async () => ({ body: { email: `${fresh()}@example.com`, display_name: "New", role: "viewer" } }),
  changeRole: async (run) => {
    const { params } = await aMember(run);
    const { etag } = await run.operator.client.call(getUser, { params });
    return { params, body: { role: "editor" }, ifMatch: etag ?? "" };
  },
  removeUser: aMember,
  resetPassword: aMember,
  listAcls: ofAModel,
  grantAccess: async (run) => ({
    ...(await ofAModel(run)),
    body: { grantee_kind: "user", grantee: run.operator.id, action: "read" },
  }),
  revokeAccess: async (run) => {
    const { params } = await ofAModel(run);
    const body = { grantee_kind: "role" as const, grantee: "viewer" as const, action: "read" as const };
    const made = await run.operator.client.call(grantAccess, { params, body });
    return { params: { ...params, acl_id: made.body.id } };
  },
  getModel: aModel,
  createModel: async () => ({ body: { kind: "base", name: fresh() } }),
  editModel: async (run) => ({ ...(await aModel(run)), body: { description: "Edited" }, ifMatch: '"1"' }),
  deleteModel: aModel,
  testModelConnection: async ({ operator }) => ({ params: { model_id: (await addApiModel(operator)).body.id } }),
  testNewConnection: async () => ({ body: { api_url: "http://127.0.0.1:9/v1", api_model: "any" } }),
  createApiToken: async () => ({ body: { name: fresh(), scopes: ["read"] } }),
  revokeApiToken: async ({ operator }) => {
    const { body } = await operator.client.call(createApiToken, { body: { name: fresh(), scopes: ["read"] } });
    return { params: { token_id: body.id } };
  },
};

/** Calls an operation and tells the status and, of a refusal, the reason. */
export async function callForRights(
  client: ApiClient,
  contract: RouteContract,
  input: RequestInput,
): Promise<{ status: number; reason?: string }> {
  const redirect = await client.open(contract, input as never).then(
    async (response) => {
      // A stream of events has no end.
      await response.body?.cancel();
      return { status: response.status };
    },
    (error: unknown) => error as { problem: { status: number; reason: string } },
  );
  return "problem" in redirect ? { status: redirect.problem.status, reason: redirect.problem.reason } : redirect;
}
