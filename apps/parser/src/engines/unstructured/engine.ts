import { AppError } from "@attune/service-kit/app-error.ts";
import { secretSetting, urlSetting } from "@attune/service-kit/load-config.ts";
import { address, choice, headerSecret } from "../../overrides/override.ts";
import { createRemoteService } from "../create-remote-service.ts";
import { defineEngine, type EngineRequest } from "../engine.ts";
import { readIntermediate } from "../read-intermediate.ts";
import { parseAnswer, quoteAnswer, toFormFile, valueAt } from "../remote-service.ts";
import { elementsToHtml } from "./elements-to-html.ts";

const name = "unstructured";

const pictures = ["png", "jpeg", "tiff", "bmp"];
const texts = ["csv", "tsv", "html", "md", "rst", "org", "txt", "eml"];

/** unstructured-api (https://github.com/Unstructured-IO/unstructured-api): `POST /general/v0/general`, `GET /healthcheck`. */
export const unstructured = defineEngine({
  name,
  description: "Unstructured through its API: elements of PDF, images, Office, web and mail formats",
  formats: [..."pdf doc docx odt rtf xls xlsx ppt pptx epub msg".split(" "), ...texts, ...pictures],
  rank: 60,
  settings: {
    PARSER_UNSTRUCTURED_URL: urlSetting("Address of an Unstructured API, for example http://unstructured:8000"),
    PARSER_UNSTRUCTURED_API_KEY: secretSetting("Key of the Unstructured API"),
  },
  overrides: {
    unstructured_url: address("Address of the Unstructured API for this request."),
    unstructured_api_key: headerSecret("Key of the Unstructured API for this request."),
    unstructured_strategy: choice(["auto", "fast", "hi_res", "ocr_only"], "auto", "How pages are read."),
  },
  honours: {
    ocr: ["pdf", ...pictures],
    ocr_languages: ["pdf", ...pictures],
    headers_footers: true,
    encoding: texts,
  },
  create: ({ settings, http, readIsolated, timeoutMs }) => {
    const service = createRemoteService(http, {
      engine: name,
      probePath: "/healthcheck",
      address: {
        override: "unstructured_url",
        setting: "PARSER_UNSTRUCTURED_URL",
        value: settings.PARSER_UNSTRUCTURED_URL,
      },
      key: {
        override: "unstructured_api_key",
        value: settings.PARSER_UNSTRUCTURED_API_KEY,
        toHeaders: (key) => ({ "unstructured-api-key": key }),
      },
    });
    return {
      probe: service.probe,
      parse: async (request, signal) => {
        const { source, options, values, clock } = request;
        const body = toForm(await source.readBytes(), request);
        const call = { path: "/general/v0/general", method: "POST", body } as const;
        const leftMs = clock.leftMs(timeoutMs(options));
        const answer = parseAnswer(name, await service.call(values, { ...call, timeoutMs: leftMs }, signal));
        const html = elementsToHtml(readElements(answer), options.read.headersFooters);
        const text = { bytes: Buffer.from(html), format: "html" } as const;
        const parsed = await readIntermediate({ readIsolated, timeoutMs }, { text, request }, signal);
        if (!isReadAnyway(options.ocr, source.format)) return parsed;
        return { ...parsed, warnings: [`${name} ignores the override ocr.`, ...parsed.warnings] };
      },
    };
  },
});

function toForm(bytes: Uint8Array, { source: { format }, options, values }: EngineRequest): FormData {
  const { file, name: fileName } = toFormFile(bytes, format);
  const body = new FormData();
  body.set("files", file, fileName);
  body.set("strategy", strategyOf(values["unstructured_strategy"], options.ocr, format));
  body.set("output_format", "application/json");
  // The default is what the service sets for itself.
  if (options.ocrLanguages.join("+") !== "eng")
    for (const language of options.ocrLanguages) body.append("languages", language);
  if (options.read.encoding !== undefined && texts.includes(format)) body.set("encoding", options.read.encoding);
  return body;
}

// Without reading pictures it takes no pictures.
function strategyOf(strategy: unknown, ocr: "auto" | "always" | "never", format: string): string {
  if (strategy !== "auto" || ocr === "auto" || isReadAnyway(ocr, format)) return String(strategy);
  return ocr === "always" ? "ocr_only" : "fast";
}

const isReadAnyway = (ocr: "auto" | "always" | "never", format: string): boolean =>
  ocr === "never" && pictures.includes(format);

function readElements(answer: unknown): readonly unknown[] {
  if (Array.isArray(answer) && answer.every((element) => typeof valueAt(element, "type") === "string")) return answer;
  throw new AppError("ENGINE_FAILED", { detail: `${name} answered without elements.` }, quoteAnswer(answer));
}
