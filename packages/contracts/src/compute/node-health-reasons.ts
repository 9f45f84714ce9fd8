/** What may be wrong with a node, and what its operator can do about it. */
export const nodeHealthReasons = {
  STORAGE_UNUSABLE: {
    sentence: "The data folder does not take, give back and remove a small file.",
    remedy:
      "See that its disk is mounted, has room and may be written by the agent's user; NODE_AGENT_DATA_DIR names it.",
  },
  STORAGE_SLOW: {
    sentence: "The data folder takes long to write a small file.",
    remedy: "Look at the load and the state of its disk: checkpoints are written there.",
  },
  DISK_SPACE_LOW: {
    sentence: "Little space is left on the disk of the data folder.",
    remedy: "Remove jobs and models of the cache that are not needed any more, or use a larger disk.",
  },
  INODES_LOW: {
    sentence: "The file system of the data folder can take few more files.",
    remedy: "Remove jobs that are not needed any more, or make the file system with more inodes.",
  },
  MEMORY_LOW: {
    sentence: "Little memory is left on the machine.",
    remedy: "Unload models or wait until jobs have ended: the kernel ends processes when there is none left.",
  },
  GPUS_UNREADABLE: {
    sentence: "The GPUs cannot be asked for their state.",
    remedy: "Run `nvidia-smi` on the machine and see why it fails; figures of GPUs are unknown until then.",
  },
  GPU_FAULTY: {
    sentence: "A GPU cannot be used.",
    remedy: "See what `nvidia-smi` says of it; it may need a reset or a restart of the machine.",
  },
  NO_JOB_ENGINE: {
    sentence: "The node can run no jobs: none of its engines is available.",
    remedy: "Run `npm run setup:python`, and look at the reasons of the engines.",
  },
  NO_INFERENCE_ENGINE: {
    sentence: "The node can load no models: none of its engines is available.",
    remedy: "Run `npm run setup:python`, and look at the reasons of the engines.",
  },
  ENGINE_UNKNOWN: {
    sentence: "An engine or a scheduler could not be asked whether it is available.",
    remedy: "See the log of the agent for why; the node asks again at the next check.",
  },
} as const;

export type NodeHealthReason = keyof typeof nodeHealthReasons;
export const nodeHealthReasonNames = Object.keys(nodeHealthReasons) as [NodeHealthReason, ...NodeHealthReason[]];
