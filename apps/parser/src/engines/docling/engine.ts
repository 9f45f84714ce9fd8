import { AppError } from "@attune/service-kit/app-error.ts";
import { secretSetting, textSetting } from "@attune/service-kit/load-config.ts";
import { address, secret } from "../../overrides/override.ts";
import { defineEngine } from "../engine.ts";
import { callRemote, findEndpoint, findKey, parseAnswer, probeRemote, toFormFile, valueAt } from "../remote-service.ts";

const name = "docling";
const statuses = { success: "success", partial: "partial_success" } as const;

/** docling-serve (https://github.com/docling-project/docling-serve), API v1: `POST /v1/convert/file`, `GET /health`. */
export const docling = defineEngine({
  name,
  description: "Docling through docling-serve: layout and table models for PDF and images, Office and web formats",
  formats: ["pdf", "docx", "pptx", "xlsx", "html", "xhtml", "md", "csv", "adoc", "png", "jpeg", "tiff", "bmp", "webp"],
  rank: 30,
  settings: {
    PARSER_DOCLING_URL: textSetting("Address of docling-serve, for example http://docling:5001"),
    PARSER_DOCLING_API_KEY: secretSetting("Key that docling-serve asks for"),
  },
  overrides: {
    docling_url: address("Address of docling-serve for this request."),
    docling_api_key: secret("Key of docling-serve for this request."),
  },
  create: ({ settings, http, readIsolated, timeoutMs }) => {
    const connect = (values: Readonly<Record<string, unknown>>) => {
      const endpoint = findEndpoint(values["docling_url"], settings.PARSER_DOCLING_URL);
      const key = findKey(values["docling_api_key"], settings.PARSER_DOCLING_API_KEY, endpoint);
      return { endpoint, headers: key === undefined ? {} : { "x-api-key": key } };
    };
    return {
      probe: async (values, signal) => {
        const { endpoint, headers } = connect(values);
        if (endpoint === undefined) {
          return {
            isAvailable: false,
            reason: "No address is known: set PARSER_DOCLING_URL, or the override docling_url.",
          };
        }
        return probeRemote(http, { engine: name, endpoint, path: "/health", headers }, signal);
      },
      parse: async ({ source, options, values }, signal) => {
        const { endpoint, headers } = connect(values);
        if (endpoint === undefined) throw new AppError("ENGINE_UNAVAILABLE");
        const { file, name: fileName } = toFormFile(await source.readBytes(), source.format);
        const body = new FormData();
        body.set("files", file, fileName);
        body.set("to_formats", "md");
        body.set("image_export_mode", "placeholder");
        body.set("do_ocr", String(options.ocr !== "never"));
        body.set("force_ocr", String(options.ocr === "always"));
        const call = { engine: name, endpoint, path: "/v1/convert/file", method: "POST", headers, body } as const;
        const answer = parseAnswer(name, await callRemote(http, { ...call, timeoutMs: timeoutMs(options) }, signal));
        const { markdown, warnings } = readAnswer(answer);
        const bytes = Buffer.from(markdown);
        const parsed = await readIsolated(
          { bytes, fileName: source.fileName, format: "md", charset: "utf-8" },
          options,
          signal,
        );
        return { ...parsed, warnings: [...warnings, ...parsed.warnings] };
      },
    };
  },
});

function readAnswer(answer: unknown): { readonly markdown: string; readonly warnings: readonly string[] } {
  const status = valueAt(answer, "status");
  const markdown = valueAt(answer, "document", "md_content");
  if ((status !== statuses.success && status !== statuses.partial) || typeof markdown !== "string") {
    throw new AppError("ENGINE_FAILED", { detail: `${name} could not convert the document.` });
  }
  const isPartial = status === statuses.partial;
  // Its placeholder is a comment; the Markdown reader knows pictures.
  const text = markdown.replaceAll("<!-- image -->", "![]()");
  return { markdown: text, warnings: isPartial ? [`${name} could read only a part of the document.`] : [] };
}
