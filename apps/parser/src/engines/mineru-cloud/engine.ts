import { setTimeout as wait } from "node:timers/promises";
import { AppError } from "@attune/service-kit/app-error.ts";
import { secretSetting } from "@attune/service-kit/load-config.ts";
import * as z from "zod";
import { openZip } from "../../containers/zip.ts";
import { Budget } from "../../limits/budget.ts";
import { defaultLimits } from "../../limits/default-limits.ts";
import { choice, flag, matching } from "../../overrides/override.ts";
import type { OutboundHttp } from "../../outbound/outbound-http.ts";
import { defineEngine } from "../engine.ts";
import { callRemote, parseAnswer, toFormFile, valueAt } from "../remote-service.ts";

const name = "mineru_cloud";
const pollMs = 3000;

/**
 * MinerU's cloud, API v4 (https://mineru.net/apiManage/docs): ask for an upload address, upload, poll until done, fetch the ZIP
 * archive with `full.md`.
 */
export const mineruCloud = defineEngine({
  name,
  description: "MinerU's cloud service; the document leaves your machines",
  formats: ["pdf", "doc", "docx", "ppt", "pptx", "png", "jpeg"],
  rank: undefined,
  settings: {
    PARSER_MINERU_CLOUD_URL: z
      .string()
      .default("https://mineru.net")
      .meta({ description: "Address of MinerU's cloud", allowed: "URL" }),
    PARSER_MINERU_CLOUD_API_KEY: secretSetting("Token of MinerU's cloud"),
  },
  overrides: {
    mineru_cloud_model: matching(/^(pipeline|vlm|MinerU-HTML)$/, "pipeline, vlm, MinerU-HTML", "Model of the cloud."),
    mineru_cloud_enable_formula: flag(true, "Whether formulas are recognised."),
    mineru_cloud_enable_table: flag(true, "Whether tables are recognised."),
    mineru_cloud_enable_ocr: flag(true, "Whether pictures of text are read."),
    mineru_cloud_language: choice(["ch", "en", "japan", "korean", "auto"], "ch", "Language of the document."),
    mineru_cloud_api_key: {
      ...matching(/^\S{1,4096}$/, "a token", "Token of MinerU's cloud for this request."),
      isSecret: true,
    },
  },
  create: ({ settings, http, readIsolated, timeoutMs }) => {
    const keyOf = (values: Readonly<Record<string, unknown>>): string | undefined => {
      const given = values["mineru_cloud_api_key"];
      return typeof given === "string" ? given : settings.PARSER_MINERU_CLOUD_API_KEY?.reveal();
    };
    return {
      probe: async (values) =>
        keyOf(values) === undefined
          ? {
              isAvailable: false,
              reason: "No token is known: set PARSER_MINERU_CLOUD_API_KEY, or the override mineru_cloud_api_key.",
            }
          : { isAvailable: true },
      parse: async ({ source, options, values }, signal) => {
        const endpoint = { url: settings.PARSER_MINERU_CLOUD_URL.replace(/\/+$/, ""), isTrusted: true };
        const headers = { authorization: `Bearer ${keyOf(values) ?? ""}`, "content-type": "application/json" };
        const cloud: Cloud = { http, endpoint, headers, endMs: performance.now() + timeoutMs(options) };
        const batch = await openBatch(cloud, { format: source.format, values }, signal);
        await upload(cloud, { url: batch.uploadUrl, body: await source.readBytes() }, signal);
        const archive = await fetchArchive(cloud, await waitForResult(cloud, batch.id, signal), signal);
        const markdown = { bytes: takeMarkdown(archive), fileName: source.fileName, format: "md", charset: "utf-8" };
        return readIsolated(markdown, options, signal);
      },
    };
  },
});

interface Cloud {
  readonly http: OutboundHttp;
  readonly endpoint: { readonly url: string; readonly isTrusted: boolean };
  readonly headers: Readonly<Record<string, string>>;
  /** On the clock of performance.now(). */
  readonly endMs: number;
}

const leftMs = ({ endMs }: Cloud): number => Math.max(1, endMs - performance.now());

async function openBatch(
  cloud: Cloud,
  { format, values }: { readonly format: string; readonly values: Readonly<Record<string, unknown>> },
  signal: AbortSignal,
): Promise<{ readonly id: string; readonly uploadUrl: string }> {
  const body = JSON.stringify({
    files: [{ name: toFormFile(new Uint8Array(), format).name, is_ocr: values["mineru_cloud_enable_ocr"] }],
    model_version: values["mineru_cloud_model"] ?? "pipeline",
    enable_formula: values["mineru_cloud_enable_formula"],
    enable_table: values["mineru_cloud_enable_table"],
    language: values["mineru_cloud_language"],
  });
  const answer = await ask(cloud, { path: "/api/v4/file-urls/batch", method: "POST", body }, signal);
  const id = valueAt(answer, "data", "batch_id");
  const uploadUrl = valueAt(answer, "data", "file_urls", 0);
  if (typeof id === "string" && typeof uploadUrl === "string") return { id, uploadUrl };
  throw new AppError("ENGINE_FAILED", { detail: `${name} gave no address to upload to.` });
}

async function ask(
  cloud: Cloud,
  request: { readonly path: string; readonly method: "GET" | "POST"; readonly body?: string },
  signal: AbortSignal,
): Promise<unknown> {
  const { http, endpoint, headers } = cloud;
  const call = { engine: name, endpoint, headers, timeoutMs: leftMs(cloud), ...request };
  const answer = parseAnswer(name, await callRemote(http, call, signal));
  const code = valueAt(answer, "code");
  if (code === 0) return answer;
  throw new AppError("ENGINE_FAILED", {
    detail: `${name} refused the request with code ${String(code).slice(0, 20)}.`,
  });
}

// The address carries its own right to write; a content type would break its signature.
async function upload(
  cloud: Cloud,
  { url, body }: { readonly url: string; readonly body: Uint8Array },
  signal: AbortSignal,
): Promise<void> {
  const endpoint = { url, isTrusted: sameHost(url, cloud.endpoint.url) };
  await callRemote(
    cloud.http,
    { engine: name, endpoint, path: "", method: "PUT", body, timeoutMs: leftMs(cloud) },
    signal,
  );
}

async function waitForResult(cloud: Cloud, id: string, signal: AbortSignal): Promise<string> {
  for (;;) {
    const answer = await ask(
      cloud,
      { path: `/api/v4/extract-results/batch/${encodeURIComponent(id)}`, method: "GET" },
      signal,
    );
    const result = valueAt(answer, "data", "extract_result", 0);
    const state = valueAt(result, "state");
    const url = valueAt(result, "full_zip_url");
    if (state === "done" && typeof url === "string") return url;
    if (state === "failed") throw new AppError("ENGINE_FAILED", { detail: `${name} could not read the document.` });
    if (leftMs(cloud) <= pollMs) throw new AppError("PARSE_TIMEOUT", { detail: `${name} was not done in time.` });
    await wait(pollMs, undefined, { signal });
  }
}

async function fetchArchive(cloud: Cloud, url: string, signal: AbortSignal): Promise<Uint8Array> {
  const endpoint = { url, isTrusted: sameHost(url, cloud.endpoint.url) };
  return (await callRemote(cloud.http, { engine: name, endpoint, path: "", timeoutMs: leftMs(cloud) }, signal)).body;
}

// Text and pictures come in one archive; only the text is expanded.
function takeMarkdown(archive: Uint8Array): Uint8Array {
  const zip = openZip(archive, new Budget(defaultLimits));
  const member = [...zip.entries.keys()].find((entry) => /(^|\/)full\.md$/.test(entry));
  const bytes = member === undefined ? undefined : zip.read(member);
  if (bytes === undefined) throw new AppError("ENGINE_FAILED", { detail: "The archive with the result has no text." });
  return bytes;
}

// Only the operator's own host is trusted; what the cloud points to elsewhere passes the guard like any address.
function sameHost(url: string, other: string): boolean {
  return URL.canParse(url) && new URL(url).host === new URL(other).host;
}
