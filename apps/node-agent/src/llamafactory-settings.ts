import { resolve } from "node:path";
import { textSetting } from "@attune/service-kit/load-config.ts";

const repository = resolve(import.meta.dirname, "../../..");

export const llamaFactorySettings = {
  NODE_AGENT_LLAMAFACTORY_PYTHON: textSetting(
    "Python interpreter in whose environment LLaMA-Factory trains; unset: that of `npm run setup:python-llamafactory`, .work/python-llamafactory/bin/python",
  ),
};

export interface LlamaFactorySettings {
  /** Absolute path of the interpreter, or the name of a program on the PATH. */
  readonly program: string;
  /** Folders of the packages attune_trainer and attune_llamafactory. */
  readonly sources: readonly string[];
}

interface Values {
  readonly NODE_AGENT_LLAMAFACTORY_PYTHON?: string | undefined;
}

export const toLlamaFactorySettings = (values: Values): LlamaFactorySettings => ({
  program: values.NODE_AGENT_LLAMAFACTORY_PYTHON ?? resolve(repository, ".work/python-llamafactory/bin/python"),
  sources: [resolve(repository, "python/trainer/src"), resolve(repository, "python/llamafactory/src")],
});
