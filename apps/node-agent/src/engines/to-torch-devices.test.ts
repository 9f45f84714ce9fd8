import { expect, test } from "vitest";
import { toTorchDevices } from "./to-torch-devices.ts";

const cuda = { torch: "2.13.0", cuda: "13.0" };

test.each([
  ["PyTorch with CUDA, and GPUs", cuda, { node: { version: "13.0" }, best: "gpu", why: "" }],
  [
    "an older minor version of the driver",
    { ...cuda, cuda: "12.8" },
    { node: { version: "12.4" }, best: "gpu", why: "" },
  ],
  ["a driver that does not tell", cuda, { node: { version: null }, best: "gpu", why: "" }],
  [
    "a driver that is too old",
    cuda,
    { node: { version: "12.8" }, best: "cpu", why: "built for CUDA 13.0, and the driver has 12.8" },
  ],
  [
    "PyTorch without CUDA",
    { torch: "2.13.0+cpu" },
    { node: { version: "13.0" }, best: "cpu", why: "built without CUDA" },
  ],
  ["no GPU", cuda, { node: undefined, best: "cpu", why: "no GPU that can be used" }],
  ["no PyTorch", {}, { node: { version: "13.0" }, best: "cpu", why: "not known" }],
])("%s", (_, versions: Readonly<Record<string, string>>, { node, best, why }) => {
  const { supports, where } = toTorchDevices(versions, node);
  expect(supports.at(-1)).toBe(best);
  expect(where).toContain(why);
  expect(where.startsWith(best === "gpu" ? "on CPU or GPU" : "on CPU alone")).toBe(true);
});
