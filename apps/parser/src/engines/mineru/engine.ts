import { AppError } from "@attune/service-kit/app-error.ts";
import { secretSetting, textSetting } from "@attune/service-kit/load-config.ts";
import { address, choice, flag, matching, secret } from "../../overrides/override.ts";
import { defineEngine } from "../engine.ts";
import { callRemote, findEndpoint, findKey, parseAnswer, probeRemote, toFormFile, valueAt } from "../remote-service.ts";

const name = "mineru";

/** A MinerU server of one's own (https://github.com/opendatalab/MinerU), its `POST /file_parse`. */
export const mineru = defineEngine({
  name,
  description: "MinerU on a server of your own: layout, formula and table models for PDF and images",
  formats: ["pdf", "png", "jpeg", "bmp", "tiff", "webp", "gif"],
  rank: 40,
  settings: {
    PARSER_MINERU_URL: textSetting("Address of a MinerU server, for example http://mineru:8000"),
    PARSER_MINERU_API_KEY: secretSetting("Bearer token that a proxy before MinerU asks for"),
  },
  overrides: {
    mineru_endpoint: address("Address of the MinerU server for this request."),
    mineru_api_key: secret("Bearer token of the MinerU server, or of MinerU's cloud, for this request."),
    mineru_model: matching(/^[a-z0-9-]{2,40}$/, "a backend of MinerU: pipeline, vlm-…, hybrid-…", "Backend of MinerU."),
    mineru_vlm_server_url: address("Server of the vision model, for backends that end in -http-client."),
    mineru_parse_method: choice(["auto", "txt", "ocr"], "auto", "How MinerU reads pages."),
    mineru_enable_formula: flag(true, "Whether formulas are recognised."),
    mineru_enable_table: flag(true, "Whether tables are recognised."),
    mineru_language: matching(
      /^[a-z_]{2,20}$/,
      "a language of MinerU: ch, en, japan, …",
      "Language of pictures of text.",
    ),
  },
  create: ({ settings, http, readIsolated, timeoutMs }) => {
    const connect = (values: Readonly<Record<string, unknown>>) => {
      const endpoint = findEndpoint(values["mineru_endpoint"], settings.PARSER_MINERU_URL);
      const key = findKey(values["mineru_api_key"], settings.PARSER_MINERU_API_KEY, endpoint);
      return { endpoint, headers: key === undefined ? {} : { authorization: `Bearer ${key}` } };
    };
    return {
      probe: async (values, signal) => {
        const { endpoint, headers } = connect(values);
        if (endpoint === undefined) {
          return {
            isAvailable: false,
            reason: "No address is known: set PARSER_MINERU_URL, or the override mineru_endpoint.",
          };
        }
        return probeRemote(http, { engine: name, endpoint, path: "/openapi.json", headers }, signal);
      },
      parse: async ({ source, options, values }, signal) => {
        const { endpoint, headers } = connect(values);
        if (endpoint === undefined) throw new AppError("ENGINE_UNAVAILABLE");
        const body = toForm(await source.readBytes(), source.format, values);
        const call = { engine: name, endpoint, path: "/file_parse", method: "POST", headers, body } as const;
        const answer = parseAnswer(name, await callRemote(http, { ...call, timeoutMs: timeoutMs(options) }, signal));
        const bytes = Buffer.from(findMarkdown(answer));
        return readIsolated({ bytes, fileName: source.fileName, format: "md", charset: "utf-8" }, options, signal);
      },
    };
  },
});

function toForm(bytes: Uint8Array, format: string, values: Readonly<Record<string, unknown>>): FormData {
  const { file, name: fileName } = toFormFile(bytes, format);
  const backend = typeof values["mineru_model"] === "string" ? values["mineru_model"] : "pipeline";
  const form = new FormData();
  form.set("files", file, fileName);
  form.set("backend", backend);
  form.set("parse_method", String(values["mineru_parse_method"]));
  form.set("formula_enable", String(values["mineru_enable_formula"]));
  form.set("table_enable", String(values["mineru_enable_table"]));
  form.set("return_md", "true");
  form.set("lang_list", typeof values["mineru_language"] === "string" ? values["mineru_language"] : "ch");
  const server = values["mineru_vlm_server_url"];
  if (typeof server === "string" && backend.endsWith("-http-client")) form.set("server_url", server);
  return form;
}

// `results` holds one entry, under the name of the file.
function findMarkdown(answer: unknown): string {
  const results = valueAt(answer, "results");
  const first = typeof results === "object" && results !== null ? Object.values(results)[0] : undefined;
  const markdown = valueAt(first, "md_content");
  if (typeof markdown === "string") return markdown;
  throw new AppError("ENGINE_FAILED", { detail: `${name} answered without a text.` });
}
