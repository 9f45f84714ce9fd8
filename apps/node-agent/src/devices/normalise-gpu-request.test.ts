import { AppError } from "@attune/service-kit/app-error.ts";
import { describe, expect, it } from "vitest";
import { makeGpu } from "./devices.fixture.ts";
import { type GpuFields, normaliseGpuRequest } from "./normalise-gpu-request.ts";

const inventory = [
  makeGpu(0),
  makeGpu(1),
  makeGpu(2, { name: "NVIDIA L4", memoryTotalMb: 23_034 }),
  makeGpu(3, { name: "NVIDIA L4", memoryTotalMb: null }),
];
const uuid = makeGpu(2).uuid;
const cpu = { mode: "cpu" };
const explicit = (...indices: number[]) => ({ mode: "explicit", indices });

function refusalOf(fields: GpuFields, known = inventory): string {
  try {
    return JSON.stringify(normaliseGpuRequest(fields, known));
  } catch (error) {
    if (error instanceof AppError) return error.message;
    throw error;
  }
}

describe("normaliseGpuRequest", () => {
  it.each<[GpuFields, unknown]>([
    [{}, { mode: "count", count: 1 }],
    [
      { gpu_indices: null, gpus: null, gpu_id: null },
      { mode: "count", count: 1 },
    ],
    [{ gpu_indices: [2, 0, 2] }, explicit(0, 2)],
    [{ gpu_indices: "0, 2" }, explicit(0, 2)],
    [{ gpu_indices: ["0", " 2 "] }, explicit(0, 2)],
    [{ gpu_indices: "3" }, explicit(3)],
    [{ gpu_indices: [uuid, 0] }, explicit(0, 2)],
    [{ gpu_indices: uuid.toLowerCase() }, explicit(2)],
    [{ gpu_indices: [] }, cpu],
    [{ gpu_indices: "none" }, cpu],
    [{ gpu_indices: "all" }, explicit(0, 1, 2, 3)],
    [{ gpus: 2 }, { mode: "count", count: 2 }],
    [{ gpus: 0 }, cpu],
    [{ gpus: -0 }, cpu],
    [{ gpus: [1] }, explicit(1)],
    [{ gpus: [] }, cpu],
    [{ gpus: "ALL" }, explicit(0, 1, 2, 3)],
    [{ gpus: " none " }, cpu],
    [{ gpus: "0,1" }, explicit(0, 1)],
    [
      { gpus: { count: 1, min_memory_mb: 20_000, name: "l4" } },
      { mode: "count", count: 1, minMemoryMb: 20_000, name: "l4" },
    ],
    [{ gpus: { count: 2, min_memory_mb: 0 } }, { mode: "count", count: 2 }],
    [{ gpus: { count: 0, name: "none of them" } }, cpu],
    [{ gpu_id: 3 }, explicit(3)],
    [{ gpu_id: -0 }, explicit(0)],
    [{ gpu_id: "1" }, explicit(1)],
    [{ gpu_id: uuid }, explicit(2)],
    [{ gpu_id: -1 }, cpu],
    [{ gpu_id: "-1" }, cpu],
    [{ gpu_id: "cpu" }, cpu],
    [{ gpu_indices: [1, 0], gpus: [0, 1] }, explicit(0, 1)],
    [{ gpu_indices: [1, 0], gpus: 2 }, explicit(0, 1)],
    [{ gpus: 1, gpu_id: 3 }, explicit(3)],
    [{ gpu_indices: "2", gpus: [2], gpu_id: 2 }, explicit(2)],
    [{ gpu_indices: [], gpus: 0, gpu_id: -1 }, cpu],
  ])("reads %j", (fields, request) => {
    expect(normaliseGpuRequest(fields, inventory)).toEqual(request);
  });

  it("takes the CPU where there are no GPUs and nothing is asked for", () => {
    expect(normaliseGpuRequest({}, [])).toEqual(cpu);
  });

  it.each<[GpuFields, string]>([
    [{ gpu_indices: [0, -1] }, "gpu_indices must name GPUs by whole numbers"],
    [{ gpu_indices: [1.5] }, "must name GPUs"],
    [{ gpu_indices: [Number.NaN] }, "must name GPUs"],
    [{ gpu_indices: ["1e0"] }, "must name GPUs"],
    [{ gpu_indices: "0x1" }, "must name GPUs"],
    [{ gpu_indices: "" }, "must name GPUs"],
    [{ gpu_indices: "0,,1" }, "must name GPUs"],
    [{ gpu_indices: [[0]] }, "must name GPUs"],
    [{ gpu_indices: [null] }, "must name GPUs"],
    [{ gpu_indices: 0 }, "must be a list"],
    [{ gpu_indices: Array.from({ length: 65 }, () => 0) }, "more than 64"],
    [{ gpus: "2" }, "may be a count or an index"],
    [{ gpus: -1 }, "from 0 to 64"],
    [{ gpus: 1.5 }, "from 0 to 64"],
    [{ gpus: Infinity }, "from 0 to 64"],
    [{ gpus: 65 }, "from 0 to 64"],
    [{ gpus: true }, "must be a count"],
    [{ gpus: {} }, "from 0 to 64"],
    [{ gpus: { count: 1, min_memory_gb: 1 } }, "Unrecognized key"],
    [{ gpus: { count: 1, min_memory_mb: -1 } }, "expected number to be >=0"],
    [{ gpus: { count: 1, name: " " } }, "expected string to have >=1 characters"],
    [{ gpu_id: "0,1" }, "must name GPUs"],
    [{ gpu_id: -2 }, "must name GPUs"],
    [{ gpu_id: "" }, "must name GPUs"],
    [{ gpu_id: [0] }, "must name GPUs"],
    [{ gpu_indices: [0, 1], gpu_id: 0 }, "gpu_indices asks for GPU 0, 1, gpu_id for GPU 0."],
    [{ gpu_indices: [0, 1], gpus: 1 }, "gpu_indices asks for GPU 0, 1, gpus for 1 GPU(s)."],
    [{ gpus: 0, gpu_id: 0 }, "gpus asks for the CPU, gpu_id for GPU 0."],
    [{ gpu_indices: [0], gpus: { count: 1, name: "L4" } }, 'gpus for 1 GPU(s) named "L4".'],
  ])("refuses %j", (fields, what) => {
    const refusal = refusalOf(fields);
    expect(refusal).toMatch(/^GPU_REQUEST_INVALID: /);
    expect(refusal).toContain(what);
  });

  it.each<[GpuFields, string]>([
    [{ gpu_indices: [0, 4] }, "Asked for: 4. The node has 0 (NVIDIA H100 80GB HBM3), 1 "],
    [{ gpu_id: "GPU-ffffffff-0000-0000-0000-000000000000" }, "Asked for: GPU-ffffffff"],
    [{ gpus: 5 }, "Asked for: 5 GPU(s)."],
    [{ gpus: { count: 2, min_memory_mb: 20_000, name: "l4" } }, 'Asked for: 2 GPU(s) named "l4" with 20000 MB.'],
  ])("finds nothing for %j", (fields, what) => {
    const refusal = refusalOf(fields);
    expect(refusal).toMatch(/^GPU_NOT_FOUND: /);
    expect(refusal).toContain(what);
  });

  it.each<GpuFields>([{ gpus: "all" }, { gpu_id: 0 }, { gpus: 1 }])("finds no GPUs on a node without: %j", (fields) => {
    expect(refusalOf(fields, [])).toMatch(/^GPU_NOT_FOUND: .*The node has no GPUs\./);
  });
});
