import { AppError } from "@attune/service-kit/app-error.ts";
import { secretSetting, textSetting } from "@attune/service-kit/load-config.ts";
import { address, choice, secret } from "../../overrides/override.ts";
import { defineEngine } from "../engine.ts";
import { callRemote, findEndpoint, findKey, parseAnswer, probeRemote, toFormFile } from "../remote-service.ts";
import { elementsToHtml } from "./elements-to-html.ts";

const name = "unstructured";

/** unstructured-api (https://github.com/Unstructured-IO/unstructured-api): `POST /general/v0/general`, `GET /healthcheck`. */
export const unstructured = defineEngine({
  name,
  description: "Unstructured through its API: elements of PDF, images, Office, web and mail formats",
  formats: "pdf doc docx odt rtf xls xlsx ppt pptx csv tsv epub html eml msg md rst org txt png jpeg tiff bmp".split(
    " ",
  ),
  rank: 60,
  settings: {
    PARSER_UNSTRUCTURED_URL: textSetting("Address of an Unstructured API, for example http://unstructured:8000"),
    PARSER_UNSTRUCTURED_API_KEY: secretSetting("Key of the Unstructured API"),
  },
  overrides: {
    unstructured_url: address("Address of the Unstructured API for this request."),
    unstructured_api_key: secret("Key of the Unstructured API for this request."),
    unstructured_strategy: choice(["auto", "fast", "hi_res", "ocr_only"], "auto", "How pages are read."),
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
      parse: async ({ source, options, values }, signal) => {
        const { endpoint, headers } = connect(values);
        if (endpoint === undefined) throw new AppError("ENGINE_UNAVAILABLE");
        const { file, name: fileName } = toFormFile(await source.readBytes(), source.format);
        const body = new FormData();
        body.set("files", file, fileName);
        body.set("strategy", String(values["unstructured_strategy"]));
        body.set("output_format", "application/json");
        const call = { engine: name, endpoint, path: "/general/v0/general", method: "POST", headers, body } as const;
        const answer = parseAnswer(name, await callRemote(http, { ...call, timeoutMs: timeoutMs(options) }, signal));
        if (!Array.isArray(answer))
          throw new AppError("ENGINE_FAILED", { detail: `${name} answered without elements.` });
        const bytes = Buffer.from(elementsToHtml(answer));
        return readIsolated({ bytes, fileName: source.fileName, format: "html", charset: "utf-8" }, options, signal);
      },
    };
  },
});
