import { runSpec } from "@attune/contracts/compute/run-spec.ts";
import { format } from "oxfmt";
import * as z from "zod";

const path = "python/trainer/src/attune_trainer/schema/run-spec.json";

/** The form of a run's specification as JSON Schema, from which the Python side checks it and fills its defaults, by path. */
export async function pythonSchema(): Promise<Readonly<Record<string, string>>> {
  const schema = z.toJSONSchema(runSpec, { io: "input" });
  const { code } = await format(path, JSON.stringify(schema, null, 2), { printWidth: 120 });
  return { [path]: code };
}
