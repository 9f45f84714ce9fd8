import { expect, test } from "vitest";
import type { EngineReport } from "../job-engine.ts";
import { reportWithSetup } from "./report-with-setup.ts";

const report: EngineReport = {
  name: "trainer",
  description: "",
  supports: [],
  available: false,
  unavailableReason: "It is not there.",
  versions: {},
};

test("tells of the set-up while the engine cannot be used, and asks again as soon as it is done", async () => {
  let found = report;
  let story: string | undefined;
  let timesDone = 0;
  const setup = {
    story: () => story,
    get timesDone() {
      return timesDone;
    },
  };
  const ask = reportWithSetup(async () => found, setup);

  expect((await ask()).unavailableReason).toBe(
    "It is not there. Or ask for a job or a model: the first one sets it up.",
  );
  story = "2/5 PyTorch.";
  expect(await ask()).toMatchObject({ available: false, unavailableReason: "2/5 PyTorch." });
  found = { ...report, available: true, unavailableReason: "" };
  story = undefined;
  timesDone = 1;
  expect(await ask()).toEqual(found);
});

test("says nothing of a set-up where there is none", async () => {
  expect(await reportWithSetup(async () => report, undefined)()).toEqual(report);
});
