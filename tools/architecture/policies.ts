/**
 * The arrows of the repository, as policies of eslint-plugin-boundaries. `npm run check` writes them into `.oxlintrc.json`
 * and fails when that file is stale; `planted-violations.ts` holds one forbidden import for each kind of missing arrow.
 */
type Element = { type: string; captured?: Record<string, string | string[]>; fileInternalPath?: string };

const layer = (app: string, layers: string | string[]) => ({
  element: { type: "layer", captured: { app, layer: layers } },
});
const root = (app: string) => ({ element: { type: "root", captured: { app } } });
const member = (type: "reader" | "engine" | "source") => ({ element: { type } });
const libraries = (...names: string[]) => ({ element: { type: "package", captured: { package: names } } });
const allow = (from: { element: Element }, ...to: { element: Element }[]) => ({ from, allow: { to } });

/** The folders that the parser may have; a test holds the tree to it. */
export const parserLayers = [
  "cli",
  "grpc",
  "metrics",
  "pipeline",
  "isolation",
  "process",
  "reading",
  "readers",
  "engines",
  "sources",
  "spool",
  "outbound",
  "overrides",
  "detection",
  "document",
  "containers",
  "spreadsheet",
  "math",
  "ocr",
  "xml",
  "text",
  "limits",
];

/** Leaves of the parser: what any of its parts may use, from the lowest up. */
const ground = ["limits", "text", "xml", "document"];
const shared = [...ground, "containers", "math", "ocr", "spreadsheet"];

export const elements = [
  { type: "reader", pattern: "apps/parser/src/readers/*", capture: ["reader"] },
  { type: "engine", pattern: "apps/parser/src/engines/*", capture: ["engine"] },
  { type: "source", pattern: "apps/parser/src/sources/*", capture: ["source"] },
  { type: "feature", pattern: "apps/*/src/features/*", capture: ["app", "feature"] },
  { type: "layer", pattern: "apps/*/src/*", capture: ["app", "layer"] },
  { type: "root", pattern: "apps/*/src", capture: ["app"] },
  { type: "package", pattern: "packages/*", capture: ["package"] },
  { type: "tool", pattern: "tools" },
  { type: "bench", pattern: "bench" },
  { type: "e2e", pattern: "e2e" },
];

const typed = (types: string[], captured?: Record<string, string | string[]>) => ({
  element: { type: types as unknown as string, ...(captured !== undefined && { captured }) },
});
const inParser = [typed(["root", "layer"], { app: "parser" }), typed(["reader", "engine", "source"])];
const inApp = (app: string) => typed(["root", "layer", "feature"], { app });
const feature = (app: string, features: string[]) => ({
  element: { type: "feature", captured: { app, feature: features } },
});
const indexOf = (app: string, features: string[]) => ({
  element: { ...feature(app, features).element, fileInternalPath: "index.ts" },
});

/** Features of the platform, from the lowest tier up: one may use those of its own tier and below, through their index. */
export const platformTiers: Readonly<Record<string, string[]>> = {
  foundation: ["audit", "access", "identity", "tenants", "jobs", "events"],
  assets: ["storage", "datasets", "models", "system"],
};
const tiers = Object.values(platformTiers);
const programs = [...inParser, inApp("platform"), inApp("cli"), inApp("node-agent")];
const everything = [...programs, inApp("web")];

export const policies = [
  allow(libraries("service-kit"), libraries("contracts")),
  allow(libraries("testkit"), libraries("contracts", "service-kit")),
  ...programs.map((program) => allow(program, libraries("contracts", "service-kit"))),
  allow(inApp("platform"), libraries("metrics")),
  allow(inApp("node-agent"), libraries("metrics")),
  allow(inApp("web"), libraries("contracts")),
  allow(root("platform"), inApp("platform")),
  allow(root("cli"), inApp("cli")),
  allow(layer("cli", "up"), layer("cli", ["doctor", "supervisor"]), root("cli")),
  allow(layer("cli", ["doctor", "reset"]), layer("cli", "supervisor"), root("cli")),
  allow(root("web"), inApp("web")),
  allow(layer("platform", "http"), layer("platform", "infra")),
  // The agent: routes know what answers them; runs and sessions know engines, devices and processes, and these nothing else.
  allow(root("node-agent"), inApp("node-agent")),
  allow(
    layer("node-agent", "http"),
    layer("node-agent", ["runs", "inference", "engines", "schedulers", "devices", "cache", "files"]),
  ),
  allow(layer("node-agent", ["health", "metrics"]), layer("node-agent", ["engines", "schedulers", "devices"])),
  allow(
    layer("node-agent", "runs"),
    layer("node-agent", ["engines", "schedulers", "devices", "scoring", "files", "process"]),
  ),
  allow(layer("node-agent", "inference"), layer("node-agent", ["engines", "devices", "files", "process"])),
  allow(layer("node-agent", "schedulers"), layer("node-agent", ["engines", "process"])),
  allow(layer("node-agent", ["engines", "scoring", "files"]), layer("node-agent", "process")),
  allow(layer("node-agent", "devices"), layer("node-agent", "process")),
  ...tiers.map((tier, index) =>
    allow(
      feature("platform", tier),
      layer("platform", ["infra", "http"]),
      indexOf("platform", tiers.slice(0, index + 1).flat()),
    ),
  ),
  // The shell of the page composes features, and features know none of each other.
  allow(layer("web", "app"), typed(["feature"], { app: "web" }), layer("web", ["components", "lib"])),
  allow(typed(["feature"], { app: "web" }), layer("web", ["components", "lib"])),
  allow(layer("web", "components"), layer("web", "lib")),
  // The composition root and what it is made of: configuration, the lists of formats, engines and sources.
  allow(root("parser"), ...inParser),
  allow(
    layer("parser", "cli"),
    layer("parser", ["pipeline", "engines", "readers", "overrides", "limits"]),
    root("parser"),
  ),
  allow(layer("parser", "grpc"), layer("parser", ["pipeline", "engines", "overrides"])),
  allow(
    layer("parser", "pipeline"),
    layer("parser", ["engines", "sources", "spool", "detection", "readers", "overrides", "limits", "document"]),
  ),
  allow(
    layer("parser", "isolation"),
    layer("parser", [
      "process",
      "reading",
      "detection",
      "engines",
      "readers",
      "overrides",
      "ocr",
      "limits",
      "document",
    ]),
    root("parser"),
  ),
  allow(layer("parser", "process"), layer("parser", ["engines", "limits"])),
  allow(layer("parser", "reading"), layer("parser", ["readers", "detection", "ocr", ...ground]), root("parser")),
  allow(layer("parser", "detection"), layer("parser", ["readers", "text", "limits"])),
  allow(layer("parser", "engines"), layer("parser", ["overrides", "outbound", "ocr", ...ground])),
  allow(layer("parser", "spool"), layer("parser", ["sources", "limits"])),
  allow(layer("parser", "sources"), layer("parser", ["outbound", "limits"])),
  allow(layer("parser", "outbound"), layer("parser", "limits")),
  allow(layer("parser", "overrides"), layer("parser", ["readers", "document", "limits"])),
  allow(layer("parser", "readers"), layer("parser", ["detection", "ocr", ...ground])),
  allow(layer("parser", "spreadsheet"), layer("parser", [...ground, "containers"])),
  allow(layer("parser", ["containers", "math", "ocr"]), layer("parser", ground)),
  allow(layer("parser", ["text", "xml"]), layer("parser", ["limits"])),
  allow({ element: { type: "engine", captured: { engine: "builtin" } } }, root("parser")),
  // Pictures are pages without a text layer, and laid out as such.
  allow(
    { element: { type: "reader", captured: { reader: "image" } } },
    { element: { type: "reader", captured: { reader: "pdf" } } },
  ),
  // A reader, an engine or a source never imports another one.
  allow(member("reader"), layer("parser", ["readers", "detection", ...shared])),
  allow(
    member("engine"),
    layer("parser", ["engines", "overrides", "outbound", "readers", "containers", "ocr", ...ground]),
  ),
  allow(member("source"), layer("parser", ["sources", "outbound", "limits"])),
  allow({ element: { type: "tool" } }, ...everything, libraries("contracts", "service-kit", "testkit"), {
    element: { type: "tool" },
  }),
  allow({ element: { type: "bench" } }, ...everything, libraries("contracts", "service-kit", "metrics", "testkit")),
  allow({ element: { type: "e2e" } }, libraries("contracts", "service-kit", "testkit")),
];

/** Tests may use the test kit and any part of their own program beside what their element may. */
export const testPolicies = [
  ...policies,
  ...inParser.map((part) => allow(part, libraries("testkit"), ...inParser)),
  ...["platform", "cli", "web", "node-agent"].map((app) => allow(inApp(app), libraries("testkit"), inApp(app))),
];
