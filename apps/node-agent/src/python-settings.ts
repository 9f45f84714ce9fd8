import { resolve } from "node:path";
import { textSetting } from "@attune/service-kit/load-config.ts";
import * as z from "zod";

const repository = resolve(import.meta.dirname, "../../..");
const setups = ["manual", "on-demand"] as const;

export const pythonSettings = {
  NODE_AGENT_PYTHON: textSetting(
    "Python interpreter that trains and serves; unset: that of `npm run setup:python`, .work/python-trainer/bin/python",
  ),
  NODE_AGENT_PYTHON_SETUP: z
    .enum(setups)
    .default("manual")
    .meta({
      description:
        "Whether the first job or model that needs the environment of `npm run setup:python` has it made; never another interpreter's",
      allowed: setups.join(", "),
    }),
  NODE_AGENT_LLAMA_CPP_DIR: textSetting(
    "Folder of llama.cpp's sources, whose converters exports to GGUF need; unset: no GGUF",
  ),
};

export interface PythonSettings {
  /** Absolute path of the interpreter, or the name of a program on the PATH. */
  readonly program: string;
  /** What makes the environment of `program`, which is run when it is first needed; undefined where a person does that. */
  readonly setup: { readonly program: string; readonly args: readonly string[] } | undefined;
  /** Folder of the package attune_trainer. */
  readonly sources: string;
  /** Absolute path; undefined where no GGUF is made. */
  readonly llamaCpp: string | undefined;
}

interface Values {
  readonly NODE_AGENT_PYTHON?: string | undefined;
  readonly NODE_AGENT_PYTHON_SETUP: (typeof setups)[number];
  readonly NODE_AGENT_LLAMA_CPP_DIR?: string | undefined;
}

export const toPythonSettings = (values: Values): PythonSettings => ({
  program: values.NODE_AGENT_PYTHON ?? resolve(repository, ".work/python-trainer/bin/python"),
  setup:
    values.NODE_AGENT_PYTHON_SETUP === "on-demand" && values.NODE_AGENT_PYTHON === undefined
      ? { program: process.execPath, args: [resolve(repository, "tools/setup-python-trainer.ts")] }
      : undefined,
  sources: resolve(repository, "python/trainer/src"),
  llamaCpp: values.NODE_AGENT_LLAMA_CPP_DIR === undefined ? undefined : resolve(values.NODE_AGENT_LLAMA_CPP_DIR),
});
