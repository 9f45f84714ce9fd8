import { integerSetting, secretSetting, textSetting, urlSetting } from "@attune/service-kit/load-config.ts";
import type { Secret } from "@attune/service-kit/secret.ts";

export const inferenceEngineSettings = {
  NODE_AGENT_VLLM_PROGRAM: textSetting(
    "Path of the program `vllm` of an environment of its own; unset: no such engine",
  ),
  NODE_AGENT_VLLM_MAX_SEQUENCES: integerSetting({ min: 1, max: 4096, fallback: 64 }, "Chats that vLLM answers at once"),
  NODE_AGENT_LLAMA_SERVER_PROGRAM: textSetting(
    "Path of the program `llama-server` of llama.cpp; unset: no such engine",
  ),
  NODE_AGENT_LLAMA_SERVER_THREADS: integerSetting(
    { min: 1, max: 1024, fallback: 1 },
    "Threads of llama-server on the CPU; more than there are idle cores make it many times slower",
  ),
  NODE_AGENT_LLAMA_SERVER_PARALLEL: integerSetting(
    { min: 1, max: 256, fallback: 4 },
    "Chats that llama-server answers at once; each takes memory for a context of its own",
  ),
  NODE_AGENT_LLAMA_SERVER_CACHE_MIB: integerSetting(
    { min: 0, max: 1_048_576, fallback: 1024 },
    "MiB of memory in which llama-server keeps the beginnings of chats, so that it need not read them again",
  ),
  NODE_AGENT_OPENAI_COMPATIBLE_URL: urlSetting(
    "Address of a server with OpenAI's API that runs already, up to before /chat/completions; unset: no such engine",
  ),
  NODE_AGENT_OPENAI_COMPATIBLE_KEY: secretSetting("Key that is sent to that server"),
  NODE_AGENT_OPENAI_COMPATIBLE_PARALLEL: integerSetting(
    { min: 1, max: 4096, fallback: 16 },
    "Chats that are sent to that server at once",
  ),
};

export interface InferenceEngineSettings {
  readonly vllm: { readonly program: string | undefined; readonly maxSequences: number };
  readonly llamaServer: {
    readonly program: string | undefined;
    readonly threads: number;
    readonly parallel: number;
    readonly cacheMib: number;
  };
  readonly openaiCompatible: {
    readonly url: string | undefined;
    readonly key: Secret | undefined;
    readonly concurrency: number;
  };
}

export const toInferenceEngineSettings = (values: {
  readonly NODE_AGENT_VLLM_PROGRAM?: string | undefined;
  readonly NODE_AGENT_VLLM_MAX_SEQUENCES: number;
  readonly NODE_AGENT_LLAMA_SERVER_PROGRAM?: string | undefined;
  readonly NODE_AGENT_LLAMA_SERVER_THREADS: number;
  readonly NODE_AGENT_LLAMA_SERVER_PARALLEL: number;
  readonly NODE_AGENT_LLAMA_SERVER_CACHE_MIB: number;
  readonly NODE_AGENT_OPENAI_COMPATIBLE_URL?: string | undefined;
  readonly NODE_AGENT_OPENAI_COMPATIBLE_KEY?: Secret | undefined;
  readonly NODE_AGENT_OPENAI_COMPATIBLE_PARALLEL: number;
}): InferenceEngineSettings => ({
  vllm: { program: values.NODE_AGENT_VLLM_PROGRAM, maxSequences: values.NODE_AGENT_VLLM_MAX_SEQUENCES },
  llamaServer: {
    program: values.NODE_AGENT_LLAMA_SERVER_PROGRAM,
    threads: values.NODE_AGENT_LLAMA_SERVER_THREADS,
    parallel: values.NODE_AGENT_LLAMA_SERVER_PARALLEL,
    cacheMib: values.NODE_AGENT_LLAMA_SERVER_CACHE_MIB,
  },
  openaiCompatible: {
    url: values.NODE_AGENT_OPENAI_COMPATIBLE_URL?.replace(/\/+$/, ""),
    key: values.NODE_AGENT_OPENAI_COMPATIBLE_KEY,
    concurrency: values.NODE_AGENT_OPENAI_COMPATIBLE_PARALLEL,
  },
});
