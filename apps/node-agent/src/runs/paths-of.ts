import type { RunSpec } from "@attune/contracts/compute/run-spec.ts";

/** Files and folders of the node that a specification names. */
export function pathsOf(spec: RunSpec): readonly string[] {
  const resume = spec.kind === "train" && !["auto", "never"].includes(spec.resume) ? [spec.resume] : [];
  const data = spec.kind === "export" ? [] : [...spec.data.files, ...spec.data.eval_files];
  return [spec.model.path, ...(spec.adapter_path === undefined ? [] : [spec.adapter_path]), ...data, ...resume];
}
