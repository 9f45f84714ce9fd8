import * as z from "zod";

/** What a GPU is used for; `foreign`: by processes that are not the node's. */
export const gpuStatuses = ["free", "reserved", "busy", "foreign", "faulty"] as const;

const figure = z.number().nullable();
const mebibytes = figure.meta({ description: "MiB; null when unknown" });
const percent = figure.meta({ description: "0 to 100; null when unknown" });
const watts = figure.meta({ description: "W; null when unknown" });
const megahertz = figure.meta({ description: "MHz; null when unknown" });

const processView = z
  .strictObject({
    pid: z.int().positive(),
    memory_mb: mebibytes,
    holder: z.string().nullable().meta({ description: "`job:<id>` or `inference:<id>`; null: not the node's" }),
  })
  .meta({ id: "GpuProcess" });

const gpuView = z
  .strictObject({
    id: z.string().meta({ description: "The driver's UUID" }),
    index: z.int().nonnegative().meta({ description: "As in gpu_indices, and as the driver counts" }),
    name: z.string(),
    status: z.enum(gpuStatuses).meta({
      description:
        "free; reserved: somebody has it and runs no process; busy: a process of who has it runs; foreign: processes that are not the node's use it; faulty",
    }),
    holder: z.string().nullable().meta({ description: "Who has it: `job:<id>` or `inference:<id>`" }),
    fault: z.string().nullable().meta({ description: "Why it cannot be used; null when it can" }),
    is_simulated: z.boolean().meta({ description: "Whether there is no such GPU: figures for development and tests" }),
    memory_total_mb: mebibytes,
    memory_used_mb: mebibytes,
    memory_free_mb: mebibytes,
    utilisation_percent: percent.meta({
      description: "Share of the time in which anything ran on it, however little; null when unknown",
    }),
    memory_utilisation_percent: percent.meta({
      description: "Share of the time in which its memory was read or written; null when unknown",
    }),
    temperature_c: figure.meta({ description: "°C; null when unknown" }),
    power_w: watts,
    power_limit_w: watts,
    sm_clock_mhz: megahertz,
    memory_clock_mhz: megahertz,
    fan_percent: percent,
    performance_state: z.string().nullable().meta({ description: "P0 is the fastest" }),
    ecc_uncorrected: figure.meta({
      description: "Errors of its memory that were not corrected, since the driver was loaded",
    }),
    mig_mode: z.string().nullable(),
    processes: z.array(processView).nullable().meta({ description: "Who uses it; null while that cannot be seen" }),
  })
  .meta({ id: "Gpu" });

/** Answer of GET /compute/gpus. */
export const gpuListView = z
  .strictObject({
    gpus: z.array(gpuView).meta({ description: "By index" }),
    source: z.string().meta({ description: "What the figures come from" }),
    is_simulated: z.boolean(),
    driver: z.string().nullable(),
    cuda: z.string().nullable().meta({ description: "The newest version of CUDA that the driver can run" }),
    sampled_at: z.iso
      .datetime()
      .nullable()
      .meta({ description: "When the figures were taken; null: there are none yet" }),
    sample_age_ms: z.int().nonnegative().nullable(),
    fault: z.string().nullable().meta({
      description: "Why there are no figures, or old ones; while it stands, no GPU is given to anybody",
    }),
    note: z.string().nullable().meta({
      description: "What is to know though nothing is wrong, such as why there are no GPUs",
    }),
  })
  .meta({ id: "GpuList" });
export type GpuListView = z.infer<typeof gpuListView>;
