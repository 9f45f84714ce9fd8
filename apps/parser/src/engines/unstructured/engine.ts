import { AppError } from "@attune/service-kit/app-error.ts";
import { secretSetting, urlSetting } from "@attune/service-kit/load-config.ts";
import { address, choice, headerSecret } from "../../overrides/override.ts";
import { defineEngine, type EngineRequest } from "../engine.ts";
import { readIntermediate } from "../read-intermediate.ts";
import {
  callRemote,
  findEndpoint,
  findKey,
  parseAnswer,
  probeRemote,
  quoteAnswer,
  toFormFile,
  valueAt,
} from "../remote-service.ts";
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
    const connect = (values: Readonly<Record<string, unknown>>) => {
      const endpoint = findEndpoint(values["unstructured_url"], settings.PARSER_UNSTRUCTURED_URL);
      const key = findKey(values["unstructured_api_key"], settings.PARSER_UNSTRUCTURED_API_KEY, endpoint);
      return { endpoint, headers: key === undefined ? {} : { "unstructured-api-key": key } };
    };
    return {
      probe: async (values, signal) => {
        const { endpoint, headers } = connect(values);
        if (endpoint === undefined) {
          return {
            isAvailable: false,
            reason: "No address is known: set PARSER_UNSTRUCTURED_URL, or the override unstructured_url.",
          };
        }
        return probeRemote(http, { engine: name, endpoint, path: "/healthcheck", headers }, signal);
      },
      parse: async (request, signal) => {
        const { source, options, values, clock } = request;
        const { endpoint, headers } = connect(values);
        if (endpoint === undefined) throw new AppError("ENGINE_UNAVAILABLE");
        const body = toForm(await source.readBytes(), request);
        const call = { engine: name, endpoint, path: "/general/v0/general", method: "POST", headers, body } as const;
        const leftMs = clock.leftMs(timeoutMs(options));
        const answer = parseAnswer(name, await callRemote(http, { ...call, timeoutMs: leftMs }, signal));
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
