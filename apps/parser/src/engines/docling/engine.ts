import { AppError } from "@attune/service-kit/app-error.ts";
import { secretSetting, urlSetting } from "@attune/service-kit/load-config.ts";
import type { ParseOptions } from "../../overrides/parse-options.ts";
import { address, headerSecret } from "../../overrides/override.ts";
import { createRemoteService } from "../create-remote-service.ts";
import { defineEngine } from "../engine.ts";
import { toPageSpan } from "../page-span.ts";
import { readIntermediate } from "../read-intermediate.ts";
import { parseAnswer, quoteAnswer, toFormFile, valueAt } from "../remote-service.ts";

const name = "docling";
const pictures = ["png", "jpeg", "tiff", "bmp", "webp"];
const statuses = { success: "success", partial: "partial_success" } as const;

/** docling-serve (https://github.com/docling-project/docling-serve), API v1: `POST /v1/convert/file`, `GET /health`. */
export const docling = defineEngine({
  name,
  description: "Docling through docling-serve: layout and table models for PDF and images, Office and web formats",
  formats: ["pdf", "docx", "pptx", "xlsx", "html", "xhtml", "md", "csv", "adoc", ...pictures],
  rank: 30,
  settings: {
    PARSER_DOCLING_URL: urlSetting("Address of docling-serve, for example http://docling:5001"),
    PARSER_DOCLING_API_KEY: secretSetting("Key that docling-serve asks for"),
  },
  overrides: {
    docling_url: address("Address of docling-serve for this request."),
    docling_api_key: headerSecret("Key of docling-serve for this request."),
  },
  honours: { pages: ["pdf"], max_pages: ["pdf"], ocr: ["pdf", ...pictures] },
  create: ({ settings, http, readIsolated, timeoutMs }) => {
    const service = createRemoteService(http, {
      engine: name,
      probePath: "/health",
      address: { override: "docling_url", setting: "PARSER_DOCLING_URL", value: settings.PARSER_DOCLING_URL },
      key: {
        override: "docling_api_key",
        value: settings.PARSER_DOCLING_API_KEY,
        toHeaders: (key) => ({ "x-api-key": key }),
      },
    });
    return {
      probe: service.probe,
      parse: async (request, signal) => {
        const { source, options, values, clock } = request;
        const { body, warnings: left } = toForm(await source.readBytes(), source.format, options);
        const call = { path: "/v1/convert/file", method: "POST", body } as const;
        const leftMs = clock.leftMs(timeoutMs(options));
        const answer = parseAnswer(name, await service.call(values, { ...call, timeoutMs: leftMs }, signal));
        const { markdown, warnings } = readAnswer(answer);
        const text = { bytes: Buffer.from(markdown), format: "md" } as const;
        const parsed = await readIntermediate({ readIsolated, timeoutMs }, { text, request }, signal);
        return { ...parsed, warnings: [...left, ...warnings, ...parsed.warnings] };
      },
    };
  },
});

function toForm(
  bytes: Uint8Array,
  format: string,
  options: ParseOptions,
): { readonly body: FormData; readonly warnings: readonly string[] } {
  const { file, name: fileName } = toFormFile(bytes, format);
  const body = new FormData();
  body.set("files", file, fileName);
  body.set("to_formats", "md");
  body.set("image_export_mode", "placeholder");
  body.set("do_ocr", String(options.ocr !== "never"));
  body.set("force_ocr", String(options.ocr === "always"));
  if (format !== "pdf") return { body, warnings: [] };
  const { span, warnings } = toPageSpan(name, options);
  // A list of two numbers is a field given twice.
  for (const page of span === undefined ? [] : [span.first, span.last]) body.append("page_range", String(page));
  return { body, warnings };
}

function readAnswer(answer: unknown): { readonly markdown: string; readonly warnings: readonly string[] } {
  const status = valueAt(answer, "status");
  const markdown = valueAt(answer, "document", "md_content");
  if ((status !== statuses.success && status !== statuses.partial) || typeof markdown !== "string") {
    throw new AppError("ENGINE_FAILED", { detail: `${name} could not convert the document.` }, quoteAnswer(answer));
  }
  const isPartial = status === statuses.partial;
  // Its placeholder is a comment; the Markdown reader knows pictures.
  const text = markdown.replaceAll("<!-- image -->", "![]()");
  return { markdown: text, warnings: isPartial ? [`${name} could read only a part of the document.`] : [] };
}
