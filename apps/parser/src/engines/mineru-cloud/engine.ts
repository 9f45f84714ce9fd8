import { setTimeout as wait } from "node:timers/promises";
import { AppError } from "@attune/service-kit/app-error.ts";
import { secretSetting, urlSetting } from "@attune/service-kit/load-config.ts";
import { openZip } from "../../containers/zip.ts";
import { Budget } from "../../limits/budget.ts";
import { defaultLimits } from "../../limits/default-limits.ts";
import type { ParseOptions } from "../../overrides/parse-options.ts";
import { choice, flag, headerSecret, matching } from "../../overrides/override.ts";
import type { OutboundHttp } from "../../outbound/outbound-http.ts";
import { defineEngine, type EngineRequest } from "../engine.ts";
import { readIntermediate } from "../read-intermediate.ts";
import {
  callRemote,
  maxAnswerBytes,
  parseAnswer,
  quoteAnswer,
  type RemoteCall,
  toFormFile,
  valueAt,
} from "../remote-service.ts";

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
    PARSER_MINERU_CLOUD_URL: urlSetting("Address of MinerU's cloud, when it is not https://mineru.net"),
    PARSER_MINERU_CLOUD_API_KEY: secretSetting("Token of MinerU's cloud"),
  },
  overrides: {
    mineru_cloud_model: matching(/^(pipeline|vlm|MinerU-HTML)$/, "pipeline, vlm, MinerU-HTML", "Model of the cloud."),
    mineru_cloud_enable_formula: flag(true, "Whether formulas are recognised."),
    mineru_cloud_enable_table: flag(true, "Whether tables are recognised."),
    mineru_cloud_enable_ocr: flag(true, "Whether pictures of text are read."),
    mineru_cloud_language: choice(["ch", "en", "japan", "korean", "auto"], "ch", "Language of the document."),
    mineru_cloud_api_key: headerSecret("Token of MinerU's cloud for this request."),
  },
  honours: { pages: ["pdf"], max_pages: ["pdf"], ocr: true },
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
      parse: async (request, signal) => {
        const { source, options, values, clock } = request;
        const endpoint = {
          url: (settings.PARSER_MINERU_CLOUD_URL ?? "https://mineru.net").replace(/\/+$/, ""),
          isTrusted: true,
        };
        const headers = { authorization: `Bearer ${keyOf(values) ?? ""}`, "content-type": "application/json" };
        const cloud: Cloud = { http, endpoint, headers, leftMs: () => clock.leftMs(timeoutMs(options)) };
        const batch = await openBatch(cloud, request, signal);
        await upload(cloud, { url: batch.uploadUrl, body: await source.readBytes() }, signal);
        const archive = await fetchArchive(cloud, await waitForResult(cloud, batch.id, signal), signal);
        const text = { bytes: takeMarkdown(archive), format: "md" } as const;
        return readIntermediate({ readIsolated, timeoutMs }, { text, request }, signal);
      },
    };
  },
});

interface Cloud {
  readonly http: OutboundHttp;
  readonly endpoint: { readonly url: string; readonly isTrusted: boolean };
  readonly headers: Readonly<Record<string, string>>;
  readonly leftMs: () => number;
}

async function openBatch(
  cloud: Cloud,
  { source: { format }, options, values }: EngineRequest,
  signal: AbortSignal,
): Promise<{ readonly id: string; readonly uploadUrl: string }> {
  const isOcr = options.ocr === "auto" ? values["mineru_cloud_enable_ocr"] : options.ocr === "always";
  const ranges = format === "pdf" ? pageRanges(options) : undefined;
  const file = { name: toFormFile(new Uint8Array(), format).name, is_ocr: isOcr };
  const body = JSON.stringify({
    files: [{ ...file, ...(ranges !== undefined && { page_ranges: ranges }) }],
    model_version: values["mineru_cloud_model"] ?? "pipeline",
    enable_formula: values["mineru_cloud_enable_formula"],
    enable_table: values["mineru_cloud_enable_table"],
    language: values["mineru_cloud_language"],
  });
  const answer = await ask(cloud, { path: "/api/v4/file-urls/batch", method: "POST", body }, signal);
  const id = valueAt(answer, "data", "batch_id");
  const uploadUrl = valueAt(answer, "data", "file_urls", 0);
  if (typeof id === "string" && typeof uploadUrl === "string") return { id, uploadUrl };
  throw new AppError("ENGINE_FAILED", { detail: `${name} gave no address to upload to.` }, quoteAnswer(answer));
}

/** The most pages that the cloud takes in one file. */
const maxCloudPages = 10_000;

// `2,4-6`; the ranges are ascending and do not overlap.
function pageRanges({ read, maxPages = maxCloudPages }: ParseOptions): string | undefined {
  if (read.pages.length === 0) return maxPages < maxCloudPages ? `1-${maxPages}` : undefined;
  let left = Math.min(maxPages, maxCloudPages);
  const parts: string[] = [];
  for (const { first, last } of read.pages) {
    const end = Math.min(last, first + left - 1);
    if (end < first) break;
    left -= end - first + 1;
    parts.push(end === first ? String(first) : `${first}-${end}`);
  }
  return parts.join(",");
}

async function ask(
  cloud: Cloud,
  request: { readonly path: string; readonly method: "GET" | "POST"; readonly body?: string },
  signal: AbortSignal,
): Promise<unknown> {
  const { http, endpoint, headers } = cloud;
  const call = { engine: name, endpoint, headers, timeoutMs: cloud.leftMs(), ...request };
  const answer = parseAnswer(name, await callRemote(http, call, signal));
  const code = valueAt(answer, "code");
  if (code === 0) return answer;
  // What stands before the service has an answer of its own.
  const shown = String(code ?? valueAt(answer, "msgCode")).slice(0, 20);
  const detail = `${name} refused the request with code ${shown}.`;
  throw new AppError("ENGINE_FAILED", { detail }, quoteAnswer(answer));
}

// The address carries its own right to write; a content type would break its signature.
async function upload(
  cloud: Cloud,
  { url, body }: { readonly url: string; readonly body: Uint8Array },
  signal: AbortSignal,
): Promise<void> {
  await callGiven(cloud, { url, method: "PUT", body }, signal);
}

/** A call to an address that the cloud gave: only the operator's own host is trusted, any other passes the guard. */
async function callGiven(
  cloud: Cloud,
  { url, ...rest }: { readonly url: string } & Pick<RemoteCall, "method" | "body" | "maxBytes">,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const endpoint = { url, isTrusted: sameHost(url, cloud.endpoint.url) };
  const call = { engine: name, endpoint, path: "", timeoutMs: cloud.leftMs(), ...rest };
  const response = await callRemote(cloud.http, call, signal).catch((error: unknown) => {
    const isRefused = error instanceof AppError && ["FETCH_REFUSED", "FILE_URL_INVALID"].includes(error.reason);
    if (!isRefused) throw error;
    throw new AppError("ENGINE_FAILED", { detail: `${name} gave an address that this service may not use.` }, error);
  });
  return response.body;
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
    if (typeof state !== "string" || state === "failed" || state === "done")
      throw new AppError("ENGINE_FAILED", { detail: `${name} could not read the document.` }, quoteAnswer(answer));
    if (cloud.leftMs() <= pollMs) throw new AppError("PARSE_TIMEOUT", { detail: `${name} was not done in time.` });
    // It rejects with an error of its own, which is not the caller's reason.
    await wait(pollMs, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}

/** Most bytes of the archive, which holds the pictures too, and of the text in it. */
const maxArchiveBytes = 256 << 20;
const textLimits = {
  ...defaultLimits,
  maxArchiveEntries: 10_000,
  maxEntryBytes: maxAnswerBytes.trusted,
  maxExpandedBytes: maxAnswerBytes.trusted,
};

function fetchArchive(cloud: Cloud, url: string, signal: AbortSignal): Promise<Uint8Array> {
  return callGiven(cloud, { url, maxBytes: maxArchiveBytes }, signal);
}

// Text and pictures come in one archive; only the text is expanded.
function takeMarkdown(archive: Uint8Array): Uint8Array {
  const bytes = expandMarkdown(archive);
  if (bytes === undefined) throw new AppError("ENGINE_FAILED", { detail: "The archive with the result has no text." });
  return bytes;
}

function expandMarkdown(archive: Uint8Array): Uint8Array | undefined {
  try {
    const zip = openZip(archive, new Budget(textLimits));
    const member = [...zip.entries.keys()].find((entry) => /(^|\/)full\.md$/.test(entry));
    return member === undefined ? undefined : zip.read(member);
  } catch (error) {
    throw new AppError("ENGINE_FAILED", { detail: "The archive with the result cannot be read." }, error);
  }
}

function sameHost(url: string, other: string): boolean {
  return URL.canParse(url) && new URL(url).host === new URL(other).host;
}
