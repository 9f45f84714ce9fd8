/** What is asked of each GPU, with other names that drivers have for it; what has more than one word to it stands last. */
const wanted = {
  index: ["index"],
  uuid: ["uuid", "gpu_uuid"],
  busId: ["pci.bus_id", "gpu_bus_id"],
  driver: ["driver_version"],
  memoryTotal: ["memory.total"],
  memoryUsed: ["memory.used"],
  memoryFree: ["memory.free"],
  utilisation: ["utilization.gpu"],
  memoryUtilisation: ["utilization.memory"],
  temperature: ["temperature.gpu"],
  power: ["power.draw"],
  powerLimit: ["power.limit", "enforced.power.limit"],
  smClock: ["clocks.sm", "clocks.current.sm"],
  memoryClock: ["clocks.mem", "clocks.current.memory"],
  fan: ["fan.speed"],
  performanceState: ["pstate"],
  ecc: ["ecc.errors.uncorrected.volatile.total"],
  mig: ["mig.mode.current"],
  name: ["name", "gpu_name"],
} as const;

export type SmiKey = keyof typeof wanted;
export interface SmiField {
  readonly key: SmiKey;
  /** As the driver calls it. */
  readonly name: string;
}

/** Without these a row is of no use; every driver has them, whatever its help says. */
const needed: readonly SmiKey[] = ["index", "uuid", "name"];

/** The fields that this driver has, by the text of `--help-query-gpu`: one it does not know would fail the whole query. */
export function chooseFields(help: string): readonly SmiField[] {
  const known = new Set([...help.matchAll(/"([a-z0-9_.]+)"/gi)].map(([, name]) => name));
  return Object.entries(wanted).flatMap(([text, names]) => {
    const key = text as SmiKey;
    const name = names.find((each) => known.has(each)) ?? (needed.includes(key) ? names[0] : undefined);
    return name === undefined ? [] : [{ key, name }];
  });
}
