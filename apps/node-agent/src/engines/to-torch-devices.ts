import type { NodeCuda } from "./node-cuda.ts";

export interface TorchDevices {
  readonly supports: readonly ("cpu" | "gpu")[];
  /** Ends a description: "on CPU or GPU", or why on the CPU alone. */
  readonly where: string;
}

/**
 * What a Python environment can compute with on this node.
 * @param versions as `probePython` tells them; `cuda` is the one that PyTorch is built for
 */
export function toTorchDevices(versions: Readonly<Record<string, string>>, node: NodeCuda | undefined): TorchDevices {
  const { torch, cuda: built } = versions;
  const why = torch === undefined ? "its PyTorch is not known" : whyWithoutGpu(built, node);
  return why === undefined
    ? { supports: ["cpu", "gpu"], where: "on CPU or GPU" }
    : { supports: ["cpu"], where: `on CPU alone (${why})` };
}

/**
 * Why what is built for a version of CUDA finds no GPU here; undefined when it does.
 * @param built undefined where it is built without CUDA
 */
export function whyWithoutGpu(built: string | undefined, node: NodeCuda | undefined): string | undefined {
  if (node === undefined) return "this node has no GPU that can be used";
  if (built === undefined) return "its PyTorch is built without CUDA";
  const has = node.version;
  // A driver runs what was built for any CUDA of its own major version.
  if (has !== null && Number.parseInt(has, 10) < Number.parseInt(built, 10)) {
    return `its PyTorch is built for CUDA ${built}, and the driver has ${has}`;
  }
  return undefined;
}
