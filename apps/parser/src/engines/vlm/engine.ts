import { AppError } from "@attune/service-kit/app-error.ts";
import { secretSetting, textSetting, urlSetting } from "@attune/service-kit/load-config.ts";
import { address, headerSecret, matching } from "../../overrides/override.ts";
import { bearer, createRemoteService } from "../create-remote-service.ts";
import { defineEngine, type EngineValues } from "../engine.ts";
import { readIntermediate } from "../read-intermediate.ts";
import { parseAnswer, quoteAnswer, valueAt } from "../remote-service.ts";

const name = "vlm";

const instruction =
  "Transcribe all text of this picture as Markdown, in reading order. Keep headings, lists and tables as such, write formulas " +
  "as LaTeX between dollar signs, translate nothing, add nothing and leave nothing out. Answer with the Markdown only. If there " +
  "is no text, answer with nothing.";

/** Any vision model behind the OpenAI protocol: `POST /chat/completions`, `GET /models`. */
export const vlm = defineEngine({
  name,
  description: "A vision language model behind an OpenAI-compatible API, which transcribes pictures",
  formats: ["png", "jpeg", "webp", "gif"],
  rank: 70,
  settings: {
    PARSER_VLM_BASE_URL: urlSetting("Address of an OpenAI-compatible API, for example http://vllm:8000/v1"),
    PARSER_VLM_MODEL: textSetting("Name of the vision model"),
    PARSER_VLM_API_KEY: secretSetting("Key of the API"),
  },
  overrides: {
    vlm_base_url: address("Address of the API for this request."),
    vlm_model: matching(/^[\w./:@-]{1,200}$/, "a name of a model", "Vision model for this request."),
    vlm_api_key: headerSecret("Key of the API for this request."),
  },
  honours: {},
  create: ({ settings, http, readIsolated, timeoutMs }) => {
    const service = createRemoteService(http, {
      engine: name,
      probePath: "/models",
      address: { override: "vlm_base_url", setting: "PARSER_VLM_BASE_URL", value: settings.PARSER_VLM_BASE_URL },
      key: { override: "vlm_api_key", value: settings.PARSER_VLM_API_KEY, toHeaders: bearer },
    });
    const modelOf = (values: EngineValues): string | undefined =>
      typeof values["vlm_model"] === "string" ? values["vlm_model"] : settings.PARSER_VLM_MODEL;
    return {
      probe: async (values, signal) => {
        if (modelOf(values) !== undefined) return service.probe(values, signal);
        const reason =
          "No model is known: set PARSER_VLM_BASE_URL and PARSER_VLM_MODEL, or the overrides vlm_base_url and vlm_model.";
        return { isAvailable: false, reason };
      },
      parse: async (request, signal) => {
        const { source, options, values, clock } = request;
        const model = modelOf(values);
        const image = `data:image/${source.format};base64,${Buffer.from(await source.readBytes()).toString("base64")}`;
        const content = [
          { type: "text", text: instruction },
          { type: "image_url", image_url: { url: image } },
        ];
        const body = JSON.stringify({ model, temperature: 0, messages: [{ role: "user", content }] });
        const headers = { "content-type": "application/json" };
        const call = { path: "/chat/completions", method: "POST", headers, body } as const;
        const leftMs = clock.leftMs(timeoutMs(options));
        const answer = parseAnswer(name, await service.call(values, { ...call, timeoutMs: leftMs }, signal));
        const { markdown, warnings } = readAnswer(answer);
        const text = { bytes: Buffer.from(markdown), format: "md" } as const;
        const parsed = await readIntermediate({ readIsolated, timeoutMs }, { text, request }, signal);
        return { ...parsed, warnings: [...warnings, ...parsed.warnings] };
      },
    };
  },
});

function readAnswer(answer: unknown): { readonly markdown: string; readonly warnings: readonly string[] } {
  const first = valueAt(answer, "choices", 0);
  const text = valueAt(first, "message", "content");
  if (typeof text !== "string")
    throw new AppError("ENGINE_FAILED", { detail: `${name} answered without a text.` }, quoteAnswer(answer));
  const isCut = valueAt(first, "finish_reason") === "length";
  const warnings = isCut ? ["The model stopped before the end of the text, because its answer became too long."] : [];
  return { markdown: withoutFence(text), warnings };
}

// Models like to put their whole answer into a fence, although asked not to.
function withoutFence(text: string): string {
  return /^\s*```(?:markdown|md)?\n([\s\S]*?)\n?```\s*$/.exec(text)?.[1] ?? text;
}
