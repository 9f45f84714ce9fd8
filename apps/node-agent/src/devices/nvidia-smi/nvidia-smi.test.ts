import { describe, expect, it } from "vitest";
import { explainSmiEnd } from "./explain-smi-end.ts";
import { parseSmiRow, splitCsv } from "./parse-smi-row.ts";
import { createSeenApps } from "./seen-apps.ts";
import { chooseFields } from "./smi-fields.ts";

const help = `"index" or "x"\n"uuid"\n"memory.total"\n"memory.used"\n"utilization.gpu"\n"temperature.gpu"\n"power.draw"\n"pstate"\n"name"\n`;
const fields = chooseFields(help);
const row = (...cells: readonly string[]) => parseSmiRow(cells.join(", "), fields);
const uuid = "GPU-00000000-aaaa-bbbb-cccc-dddddddddddd";

describe("chooseFields", () => {
  it("asks for what the driver has, by the name that it has for it", () => {
    expect(chooseFields('"clocks.current.sm" or "clocks.sm"').map(({ name }) => name)).toContain("clocks.sm");
    expect(chooseFields('"clocks.current.sm"').map(({ name }) => name)).toContain("clocks.current.sm");
    expect(chooseFields('"gpu_uuid"').map(({ name }) => name)).toEqual(["index", "gpu_uuid", "name"]);
    expect(chooseFields("").map(({ name }) => name)).toEqual(["index", "uuid", "name"]);
  });
});

describe("parseSmiRow", () => {
  it("reads figures", () => {
    const read = row("2", uuid, "81559", "1024", "37", "61", "350.12", "P0", "NVIDIA H100 80GB HBM3");
    expect(read?.gpu).toMatchObject({
      index: 2,
      uuid,
      name: "NVIDIA H100 80GB HBM3",
      memoryTotalMb: 81_559,
      memoryUsedMb: 1024,
      memoryFreeMb: null,
      utilisationPercent: 37,
      temperatureC: 61,
      powerW: 350.12,
      performanceState: "P0",
      fault: null,
    });
  });

  const odd = [
    "[N/A]",
    "[Not Supported]",
    "[Unknown Error]",
    "ERR!",
    "N/A",
    "",
    "[Insufficient Permissions]",
    "nan",
    "1e3",
  ];
  it.each([...odd, "-1", "101", "12 13", "99999999999"])("knows nothing where the driver says %j", (cell) => {
    const read = row("0", uuid, "81559", "1", cell, "30", "70", "P0", "H100");
    expect(read?.gpu).toMatchObject({ utilisationPercent: null, temperatureC: 30, fault: null });
  });

  it.each(["[Unknown Error]", "ERR!", "[GPU is lost]", "GPU is lost", "[GPU requires reset]"])(
    "cannot use a GPU of whose memory the driver says %s",
    (cell) => {
      const read = row("0", uuid, cell, cell, cell, cell, cell, cell, "H100");
      expect(read?.gpu.fault).toContain(cell.replace(/[[\]]/g, ""));
      expect(read?.gpu).toMatchObject({ memoryTotalMb: null, memoryUsedMb: null, utilisationPercent: null });
    },
  );

  it.each(["[N/A]", "[Not Supported]"])("can use a GPU whose driver has no figure of its memory: %s", (cell) => {
    expect(row("0", uuid, cell, cell, "[N/A]", "30", "70", "P0", "H100")?.gpu.fault).toBeNull();
  });

  it.each([
    ["Card, the 2nd, of 3", "Card, the 2nd, of 3"],
    ['"Card, quoted"', "Card, quoted"],
    ['"Card of 24"" inches"', 'Card of 24" inches'],
    ['Card of 24" inches, wide', 'Card of 24" inches, wide'],
  ])("keeps the name %s", (written, name) => {
    expect(row("0", uuid, "1", "1", "1", "1", "1", "P0", written)?.gpu.name).toBe(name);
  });

  it.each([
    ["", "an empty line"],
    ["No devices were found", "a sentence"],
    [`0, ${uuid}`, "a line that was cut"],
    [`[N/A], ${uuid}, 1, 1, 1, 1, 1, P0, H100`, "one without an index"],
    ["0, [Unknown Error], 1, 1, 1, 1, 1, P0, H100", "one without a UUID"],
  ])("is none of %j", (line) => {
    expect(parseSmiRow(line, fields)).toBeUndefined();
  });
});

it("cuts lines into cells", () => {
  expect(splitCsv('a, "b, c" ,, d,')).toEqual(["a", "b, c", "", "d", ""]);
});

describe("the processes that are seen", () => {
  it("are there for two and a half intervals after their last line", () => {
    let nowMs = 0;
    const apps = createSeenApps(1000, () => nowMs);
    expect(apps.take(`${uuid}, 41, 512`)).toBe(true);
    expect(apps.take(`${uuid}, 42, [N/A]`)).toBe(true);
    nowMs = 2000;
    apps.take(`${uuid}, 42, 700`);
    expect(apps.list().get(uuid)).toEqual([
      { pid: 41, memoryMb: 512 },
      { pid: 42, memoryMb: 700 },
    ]);
    nowMs = 2501;
    expect(apps.list().get(uuid)).toEqual([{ pid: 42, memoryMb: 700 }]);
    nowMs = 9000;
    expect([...apps.list()]).toEqual([]);
  });

  it.each(["", "No running processes found", `${uuid}, [N/A], 5`, `${uuid}, 0, 5`, `${uuid}, 1.5, 5`, "GPU 0, 12, 5"])(
    "are none in %j",
    (line) => {
      expect(createSeenApps(1000).take(line)).toBe(false);
    },
  );
});

describe("explainSmiEnd", () => {
  const end = { code: 9, signal: null, startError: null, lastLines: [] };
  it.each([
    ["Failed to initialize NVML: Driver/library version mismatch", "different versions"],
    ["Unable to determine the device handle for GPU 0000:09:00.0: GPU is lost. Reboot the system", "A GPU is lost"],
    ["No devices were found", "finds no GPUs"],
    ["NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.", "not loaded"],
    ["Failed to initialize NVML: Insufficient Permissions", "may not use the GPUs"],
    ["something new", "ended with status 9 and said: something new"],
  ])("tells what %s means", (said, meaning) => {
    const told = explainSmiEnd("nvidia-smi", { ...end, lastLines: [said] });
    expect(told).toContain(meaning);
    expect(told).toContain(said);
  });

  it("tells of a program that is missing, that cannot be started or that was ended", () => {
    expect(explainSmiEnd("nvidia-smi", { ...end, startError: "ENOENT" })).toContain("install the NVIDIA driver");
    expect(explainSmiEnd("nvidia-smi", { ...end, startError: "EACCES" })).toContain("the system says EACCES");
    expect(explainSmiEnd("nvidia-smi", { ...end, signal: "SIGKILL" })).toContain("was ended by SIGKILL");
  });
});
