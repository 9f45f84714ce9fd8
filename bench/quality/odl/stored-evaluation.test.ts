import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { compareWithStored, listEngines } from "./stored-evaluation.ts";

const corpus = process.env["CORPUS_DIR"] ?? join(import.meta.dirname, "../../../../shared/corpus");
const bench = join(corpus, "odl-bench");
const isThere = existsSync(bench);
if (!isThere) console.log(`There is no ${bench}: our scores are not compared with those of opendataloader-bench.`);

describe.skipIf(!isThere)("scores stored by opendataloader-bench", () => {
  it.each(isThere ? listEngines(bench) : [])("are those that we compute for every eighth document of %s", (engine) => {
    const { documentCount, differences } = compareWithStored(bench, engine, (index) => index % 8 === 1);
    expect(documentCount).toBe(25);
    expect(differences).toEqual([]);
  });
});
