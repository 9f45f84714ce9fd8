import { join } from "node:path";
import { type JobRequest, jobRequest } from "@attune/contracts/compute/run-record.ts";
import type { JobEngine, LaunchCommand } from "../../engines/job-engine.ts";

const worker = join(import.meta.dirname, "fake-worker.ts");
const prefix = "/fake/";

/** An engine whose workers do what the path of the model says. `program/…` is a program that is not there; `code/…` and `shell/…` are programs themselves. */
export const fakeEngine: JobEngine = {
  name: "trainer",
  report: async () => ({
    name: "trainer",
    description: "fake",
    supports: [],
    available: true,
    unavailableReason: "",
    versions: {},
  }),
  command: ({ spec }): LaunchCommand => {
    const mode = spec.model.path.slice(prefix.length);
    if (mode.startsWith("program/")) return { program: `/nowhere/${mode}`, args: [], env: {} };
    if (mode.startsWith("code/"))
      return { program: process.execPath, args: ["-e", mode.slice("code/".length)], env: {} };
    if (mode.startsWith("shell/")) return { program: "/bin/sh", args: ["-c", mode.slice("shell/".length)], env: {} };
    return { program: process.execPath, args: [worker, mode], env: {} };
  },
};

export type FakeRequest = Partial<Omit<JobRequest, "spec">> & { readonly kind?: "train" | "eval" };

/** A request for a run of the fake worker. */
export function fakeRequest(mode: string, { kind = "train", ...others }: FakeRequest = {}): JobRequest {
  const train = { method: "sft", tuning: "lora" };
  const spec = {
    kind,
    model: { path: `${prefix}${mode}` },
    data: { files: ["/d.jsonl"] },
    ...(kind === "train" && train),
  };
  return jobRequest.parse({ gpus: "cpu", spec, ...others });
}
