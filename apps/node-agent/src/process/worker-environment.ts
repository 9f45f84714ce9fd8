type Variables = Readonly<Record<string, string | undefined>>;

/** What a worker may know of the agent's own environment; everything else, secrets above all, stays with the agent. */
const allowed = [
  "PATH",
  "LD_LIBRARY_PATH",
  "LANG",
  "LC_ALL",
  "LC_CTYPE",
  "TZ",
  "HOME",
  "USER",
  "LOGNAME",
  "TMPDIR",
  "CUDA_HOME",
  "CUDA_PATH",
  "ROCM_PATH",
  "HSA_OVERRIDE_GFX_VERSION",
  "NCCL_SOCKET_IFNAME",
  "NCCL_IB_HCA",
  "NCCL_DEBUG",
  "GLOO_SOCKET_IFNAME",
];

/** Unbuffered and told in UTF-8; nothing is fetched or reported to anybody; the numbers of GPUs are those of nvidia-smi. */
const fixed: Readonly<Record<string, string>> = {
  PYTHONUNBUFFERED: "1",
  PYTHONFAULTHANDLER: "1",
  PYTHONNOUSERSITE: "1",
  PYTHONIOENCODING: "utf-8",
  PYTHONDONTWRITEBYTECODE: "1",
  HF_HUB_OFFLINE: "1",
  HF_DATASETS_OFFLINE: "1",
  TRANSFORMERS_OFFLINE: "1",
  HF_HUB_DISABLE_TELEMETRY: "1",
  HF_HUB_DISABLE_PROGRESS_BARS: "1",
  DO_NOT_TRACK: "1",
  VLLM_NO_USAGE_STATS: "1",
  RAY_USAGE_STATS_ENABLED: "0",
  WANDB_MODE: "disabled",
  TOKENIZERS_PARALLELISM: "false",
  CUDA_DEVICE_ORDER: "PCI_BUS_ID",
  TORCH_NCCL_ASYNC_ERROR_HANDLING: "1",
  PYTORCH_CUDA_ALLOC_CONF: "expandable_segments:True",
};

export interface WorkerEnvironment {
  /** Of the agent. */
  readonly environment: Variables;
  /** GPUs as the driver knows them, by UUID or index; none is the CPU. */
  readonly visibleGpus: readonly string[];
  /** What is particular to this worker; wins over everything. */
  readonly own: Readonly<Record<string, string>>;
}

/** The environment of a worker of any kind: an allow-list of the agent's, what keeps Python honest, and its own. */
export function workerEnvironment({ environment, visibleGpus, own }: WorkerEnvironment): Record<string, string> {
  const kept = allowed.flatMap((name) => {
    const value = environment[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  const visible = visibleGpus.join(",");
  return {
    ...Object.fromEntries(kept),
    ...fixed,
    CUDA_VISIBLE_DEVICES: visible,
    HIP_VISIBLE_DEVICES: visible,
    ...own,
  };
}
