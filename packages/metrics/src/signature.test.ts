import { expect, it } from "vitest";
import { toSamples } from "./samples.ts";
import { bleuSignature, chrfSignature } from "./signature.ts";

const ours = "version:attune-0.1.0(sacrebleu-2.6.0)";

it("signatures are those of sacreBLEU but for the version", () => {
  const one = toSamples(["a"], ["b"]);
  const two = toSamples(["a"], [["b", "c"]]);
  expect(bleuSignature(one)).toBe(`nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|${ours}`);
  expect(bleuSignature(two, { tokenizer: "zh", smoothing: "floor", lowercase: true })).toBe(
    `nrefs:2|case:lc|eff:no|tok:zh|smooth:floor[0.10]|${ours}`,
  );
  expect(bleuSignature([...one, ...two], { smoothing: "add-k", smoothingValue: 2, effectiveOrder: true })).toBe(
    `nrefs:var|case:mixed|eff:yes|tok:13a|smooth:add-k[2.00]|${ours}`,
  );
  expect(chrfSignature(one, { wordOrder: 2 })).toBe(`nrefs:1|case:mixed|eff:yes|nc:6|nw:2|space:no|${ours}`);
});
