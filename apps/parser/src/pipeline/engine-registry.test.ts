import { expect, test } from "vitest";
import { type Availability, defineEngine } from "../engines/engine.ts";
import { flag } from "../overrides/override.ts";
import { createEngineRegistry, defaultValues } from "./engine-registry.ts";

/** A registry of one engine whose probes are answered by hand. */
function registryOf() {
  const probes: { readonly answer: (availability: Availability) => void; readonly signal: AbortSignal }[] = [];
  const definition = defineEngine({
    name: "slow",
    description: "Slow",
    formats: ["txt"],
    rank: 0,
    settings: {},
    overrides: { slow_flag: flag(false, "A flag.") },
    honours: {},
    create: () => ({
      probe: (_values, signal) =>
        new Promise<Availability>((resolve) => {
          probes.push({ answer: resolve, signal });
          signal.addEventListener("abort", () => resolve({ isAvailable: false, reason: "It was cancelled." }));
        }),
      parse: () => Promise.reject(new Error("not asked")),
    }),
  });
  const registry = createEngineRegistry([{ definition, engine: definition.create({} as never) }]);
  const [entry] = registry.engines;
  if (entry === undefined) throw new Error("no engine");
  const probe = (signal = new AbortController().signal, values = defaultValues(definition)) =>
    registry.probe(entry, values, signal);
  return { probe, probes };
}

test("a caller who leaves takes no answer from those who wait for the same one", async () => {
  const { probe, probes } = registryOf();
  const controller = new AbortController();
  const first = probe(controller.signal);
  const second = probe();
  controller.abort("left");
  await expect(first).rejects.toBe("left");
  probes[0]?.answer({ isAvailable: true });
  expect(await second).toEqual({ isAvailable: true });
  expect(await probe()).toEqual({ isAvailable: true });
  expect(probes).toHaveLength(1);
});

test("a caller who has left before asks nothing", async () => {
  const { probe } = registryOf();
  await expect(probe(AbortSignal.abort("left"))).rejects.toBe("left");
});

test("with values of one's own the question is one's own, and ends with its caller", async () => {
  const { probe, probes } = registryOf();
  const controller = new AbortController();
  const own = probe(controller.signal, { slow_flag: true });
  controller.abort("left");
  await expect(own).rejects.toBe("left");
  expect(probes[0]?.signal.aborted).toBe(true);
  const next = probe();
  probes[1]?.answer({ isAvailable: true });
  expect(await next).toEqual({ isAvailable: true });
});

test("an engine that does not answer within two seconds is not available", async () => {
  const { probe } = registryOf();
  expect(await probe()).toMatchObject({ isAvailable: false });
}, 5000);
