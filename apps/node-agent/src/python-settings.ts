import { resolve } from "node:path";
import { textSetting } from "@attune/service-kit/load-config.ts";

const repository = resolve(import.meta.dirname, "../../..");

export const pythonSettings = {
  NODE_AGENT_PYTHON: textSetting(
    "Python interpreter that trains and serves; unset: that of `npm run setup:python`, .work/python-trainer/bin/python",
  ),
};

export interface PythonSettings {
  /** Absolute path of the interpreter, or the name of a program on the PATH. */
  readonly program: string;
  /** Folder of the package attune_trainer. */
  readonly sources: string;
}

export const toPythonSettings = (values: { readonly NODE_AGENT_PYTHON?: string | undefined }): PythonSettings => ({
  program: values.NODE_AGENT_PYTHON ?? resolve(repository, ".work/python-trainer/bin/python"),
  sources: resolve(repository, "python/trainer/src"),
});
