import { AppError } from "@attune/service-kit/app-error.ts";
import { secretSetting, urlSetting } from "@attune/service-kit/load-config.ts";
import { address, choice, flag, headerSecret, matching } from "../../overrides/override.ts";
import { bearer, createRemoteService } from "../create-remote-service.ts";
import { defineEngine, type EngineRequest, type EngineValues } from "../engine.ts";
import { toPageSpan } from "../page-span.ts";
import { readIntermediate } from "../read-intermediate.ts";
import { parseAnswer, quoteAnswer, toFormFile, valueAt } from "../remote-service.ts";

const name = "mineru";

/** A MinerU server of one's own (https://github.com/opendatalab/MinerU), its `POST /file_parse`. */
export const mineru = defineEngine({
  name,
  description: "MinerU on a server of your own: layout, formula and table models for PDF and images",
  formats: ["pdf", "png", "jpeg", "bmp", "tiff", "webp", "gif"],
  rank: 40,
  settings: {
    PARSER_MINERU_URL: urlSetting("Address of a MinerU server, for example http://mineru:8000"),
    PARSER_MINERU_API_KEY: secretSetting("Bearer token that a proxy before MinerU asks for"),
  },
  overrides: {
    mineru_endpoint: address("Address of the MinerU server for this request."),
    mineru_api_key: headerSecret("Bearer token of the MinerU server for this request."),
    mineru_model: matching(/^[a-z0-9-]{2,40}$/, "a backend of MinerU: pipeline, vlm-…, hybrid-…", "Backend of MinerU."),
    mineru_vlm_server_url: address(
      "Server of the vision model, for backends that end in -http-client; only together with mineru_endpoint.",
    ),
    mineru_parse_method: choice(["auto", "txt", "ocr"], "auto", "How MinerU reads pages."),
    mineru_enable_formula: flag(true, "Whether formulas are recognised."),
    mineru_enable_table: flag(true, "Whether tables are recognised."),
    mineru_language: matching(
      /^[a-z_]{2,20}$/,
      "a language of MinerU: ch, en, japan, …",
      "Language of pictures of text.",
    ),
  },
  honours: { pages: ["pdf"], max_pages: ["pdf"], ocr: true },
  create: ({ settings, http, readIsolated, timeoutMs }) => {
    const service = createRemoteService(http, {
      engine: name,
      probePath: "/openapi.json",
      address: { override: "mineru_endpoint", setting: "PARSER_MINERU_URL", value: settings.PARSER_MINERU_URL },
      key: {
        override: "mineru_api_key",
        value: settings.PARSER_MINERU_API_KEY,
        toHeaders: bearer,
      },
    });
    return {
      probe: service.probe,
      parse: async (request, signal) => {
        const { source, options, values, clock } = request;
        assertOwnVisionModel(values);
        const { body, warnings } = toForm(await source.readBytes(), request);
        const call = { path: "/file_parse", method: "POST", body } as const;
        const leftMs = clock.leftMs(timeoutMs(options));
        const answer = parseAnswer(name, await service.call(values, { ...call, timeoutMs: leftMs }, signal));
        const text = { bytes: Buffer.from(findMarkdown(answer)), format: "md" } as const;
        const parsed = await readIntermediate({ readIsolated, timeoutMs }, { text, request }, signal);
        return { ...parsed, warnings: [...warnings, ...parsed.warnings] };
      },
    };
  },
});

// The MinerU server connects to that address, where our guard does not reach: only the caller's own may be sent there.
function assertOwnVisionModel(values: EngineValues): void {
  if (values["mineru_vlm_server_url"] === undefined || values["mineru_endpoint"] !== undefined) return;
  throw new AppError("OVERRIDE_INVALID", {
    detail: "`mineru_vlm_server_url` is taken only together with `mineru_endpoint`, for a MinerU server of your own.",
  });
}

function toForm(
  bytes: Uint8Array,
  { source: { format }, options, values }: EngineRequest,
): { readonly body: FormData; readonly warnings: readonly string[] } {
  const { file, name: fileName } = toFormFile(bytes, format);
  const backend = typeof values["mineru_model"] === "string" ? values["mineru_model"] : "pipeline";
  const body = new FormData();
  body.set("files", file, fileName);
  body.set("backend", backend);
  body.set("parse_method", parseMethod(values["mineru_parse_method"], options.ocr));
  body.set("formula_enable", String(values["mineru_enable_formula"]));
  body.set("table_enable", String(values["mineru_enable_table"]));
  body.set("return_md", "true");
  body.set("lang_list", typeof values["mineru_language"] === "string" ? values["mineru_language"] : "ch");
  const server = values["mineru_vlm_server_url"];
  if (typeof server === "string" && backend.endsWith("-http-client")) body.set("server_url", server);
  if (format !== "pdf") return { body, warnings: [] };
  const { span, warnings } = toPageSpan(name, options);
  // Its pages count from zero; it takes an end beyond the last for the last.
  if (span !== undefined) {
    body.set("start_page_id", String(span.first - 1));
    body.set("end_page_id", String(Math.min(span.last - 1, lastPageId)));
  }
  return { body, warnings };
}

/** What the server itself puts for "to the end". */
const lastPageId = 99_999;

function parseMethod(method: unknown, ocr: "auto" | "always" | "never"): string {
  if (method !== "auto" || ocr === "auto") return String(method);
  return ocr === "always" ? "ocr" : "txt";
}

// `results` holds one entry, under the name of the file.
function findMarkdown(answer: unknown): string {
  const results = valueAt(answer, "results");
  const first = typeof results === "object" && results !== null ? Object.values(results)[0] : undefined;
  const markdown = valueAt(first, "md_content");
  if (typeof markdown === "string") return markdown;
  throw new AppError("ENGINE_FAILED", { detail: `${name} answered without a text.` }, quoteAnswer(answer));
}
