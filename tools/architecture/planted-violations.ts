/**
 * One forbidden import for each kind of missing arrow, as a path inside the repository and what it imports. The test lays
 * them out as real files in a scratch copy and expects the linter to report every one: a checker that silently stops
 * checking turns red.
 */
export const plantedViolations: Readonly<Record<string, string>> = {
  "packages/contracts/src/knows-service-kit.ts": "@attune/service-kit/app-error.ts",
  "packages/service-kit/src/knows-testkit.ts": "@attune/testkit/golden.ts",
  "packages/service-kit/src/knows-an-app.ts": "../../../apps/parser/src/document/document.ts",
  "packages/metrics/src/knows-service-kit.ts": "@attune/service-kit/app-error.ts",
  "apps/parser/src/pipeline/knows-metrics.ts": "@attune/metrics/samples.ts",
  "apps/parser/src/pipeline/uses-testkit-outside-tests.ts": "@attune/testkit/golden.ts",
  "apps/parser/src/document/knows-readers.ts": "../readers/format.ts",
  "apps/parser/src/limits/knows-document.ts": "../document/document.ts",
  "apps/parser/src/text/knows-document.ts": "../document/document.ts",
  "apps/parser/src/xml/knows-containers.ts": "../containers/zip.ts",
  "apps/parser/src/containers/knows-readers.ts": "../readers/format.ts",
  "apps/parser/src/readers/text/knows-another-reader.ts": "../html/format.ts",
  "apps/parser/src/readers/text/knows-engines.ts": "../../engines/engine.ts",
  "apps/parser/src/readers/text/knows-pipeline.ts": "../../pipeline/parse-call.ts",
  "apps/parser/src/engines/builtin/knows-pipeline.ts": "../../pipeline/parse-call.ts",
  "apps/parser/src/engines/builtin/knows-isolation.ts": "../../isolation/messages.ts",
  "apps/parser/src/sources/http/knows-engines.ts": "../../engines/engine.ts",
  "apps/parser/src/overrides/knows-engines.ts": "../engines/engine.ts",
  "apps/parser/src/detection/knows-pipeline.ts": "../pipeline/parse-call.ts",
  "apps/parser/src/isolation/knows-pipeline.ts": "../pipeline/parse-call.ts",
  "apps/parser/src/pipeline/knows-grpc.ts": "../grpc/protobuf-wire.ts",
  "apps/parser/src/pipeline/knows-isolation.ts": "../isolation/messages.ts",
  "apps/parser/src/grpc/knows-isolation.ts": "../isolation/messages.ts",
  "apps/parser/src/cli/knows-isolation.ts": "../isolation/messages.ts",
  "apps/platform/src/knows-the-parser.ts": "../../parser/src/document/document.ts",
  "apps/platform/src/infra/db/knows-http.ts": "../../http/etag.ts",
  "apps/platform/src/http/knows-a-feature.ts": "../features/audit/index.ts",
  "apps/platform/src/features/audit/knows-a-higher-tier.ts": "../datasets/index.ts",
  "apps/platform/src/features/models/goes-past-an-index.ts": "../audit/tables.ts",
  "apps/platform/src/features/models/uses-testkit-outside-tests.ts": "@attune/testkit/golden.ts",
};
