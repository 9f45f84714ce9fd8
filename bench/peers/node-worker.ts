/** `node bench/peers/node-worker.ts PEER FOLDER`: answers each path on stdin with what the peer of npm in FOLDER makes of it. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { extname, join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const [peer = "", folder = import.meta.dirname] = process.argv.slice(2);
const resolve = createRequire(join(folder, "package.json")).resolve;

type Convert = (path: string) => string | Promise<string>;

const converters: Record<string, () => Promise<Convert>> = {
  docparser: async () => (await import("./read-ours.ts")).readOurs,
  liteparse: loadLiteParse,
  "pdf-inspector": loadPdfInspector,
  unpdf: loadUnpdf,
  officeparser: loadOfficeparser,
  mammoth: loadMammoth,
  turndown: loadTurndown,
};

const load = converters[peer];
if (load === undefined) throw new Error(`There is no peer "${peer}".`);
const convert = await load();
for await (const line of createInterface({ input: process.stdin })) {
  const answer = await answerTo(JSON.parse(line) as string);
  const { user, system } = process.cpuUsage();
  const usage = { cpuMs: (user + system) / 1000, peakKib: process.resourceUsage().maxRSS };
  process.stdout.write(`\n@@answer ${JSON.stringify({ ...answer, ...usage })}\n`);
}
process.exit(0);

async function answerTo(path: string): Promise<{ text: string } | { error: string }> {
  try {
    return { text: await convert(path) };
  } catch (error) {
    return { error: String(error).slice(0, 300) };
  }
}

async function loadLiteParse(): Promise<Convert> {
  interface Parser {
    parse(path: string): Promise<{ text: string; pageErrors: readonly unknown[] }>;
  }
  const { LiteParse } = await importPeer<{ LiteParse: new (config: object) => Parser }>("@llamaindex/liteparse");
  const parser = new LiteParse({ ocrEnabled: false, outputFormat: "markdown", quiet: true });
  return async (path) => (await parser.parse(path)).text;
}

async function loadPdfInspector(): Promise<Convert> {
  const { processPdf } = await importPeer<{ processPdf: (bytes: Buffer) => { markdown?: string } }>(
    "@firecrawl/pdf-inspector",
  );
  return (path) => processPdf(readFileSync(path)).markdown ?? "";
}

async function loadUnpdf(): Promise<Convert> {
  interface Unpdf {
    getDocumentProxy: (bytes: Uint8Array) => Promise<{ loadingTask: { destroy(): Promise<void> } }>;
    extractText: (document: object, options: { mergePages: false }) => Promise<{ text: readonly string[] }>;
  }
  const { extractText, getDocumentProxy } = await importPeer<Unpdf>("unpdf");
  return async (path) => {
    const document = await getDocumentProxy(new Uint8Array(readFileSync(path)));
    const { text } = await extractText(document, { mergePages: false });
    await document.loadingTask.destroy();
    return text.join("\n\n");
  };
}

async function loadOfficeparser(): Promise<Convert> {
  interface Officeparser {
    parseOffice: (path: string, config: object) => Promise<{ to(format: "md"): Promise<{ value: string }> }>;
  }
  const { parseOffice } = await importPeer<Officeparser>("officeparser");
  return async (path) => {
    const { value } = await (await parseOffice(path, {})).to("md");
    return value.replace(/^---\n[\s\S]*?\n---\n/, "").replaceAll(/<a id="[^"]*"><\/a>| ?\{#[^}\n]*\}/g, "");
  };
}

async function loadMammoth(): Promise<Convert> {
  interface Mammoth {
    default: { convertToHtml(input: { path: string }): Promise<{ value: string }> };
  }
  const { default: mammoth } = await importPeer<Mammoth>("mammoth");
  return async (path) => (await mammoth.convertToHtml({ path })).value;
}

async function loadTurndown(): Promise<Convert> {
  interface Service {
    use(plugin: unknown): void;
    remove(tags: readonly string[]): void;
    turndown(html: string): string;
  }
  const { default: Turndown } = await importPeer<{ default: new (options: object) => Service }>("turndown");
  const { gfm } = await importPeer<{ gfm: unknown }>("turndown-plugin-gfm");
  return (path) => {
    if (extname(path) !== ".html") throw new Error("not a web page");
    const service = new Turndown({ headingStyle: "atx", codeBlockStyle: "fenced" });
    service.use(gfm);
    service.remove(["script", "style", "title"]);
    return service.turndown(readFileSync(path, "utf8"));
  };
}

async function importPeer<Module>(name: string): Promise<Module> {
  return (await import(pathToFileURL(resolve(name)).href)) as Module;
}
