import { AppError } from "@attune/service-kit/app-error.ts";
import type { InferenceEngine, ModelToLoad } from "../engines/inference-engine.ts";
import { whyUnavailable } from "../engines/why-unavailable.ts";

/**
 * The named engine, or the first one in the list that reads the model's format and can be used.
 * @throws AppError MODEL_UNSUPPORTED, MODEL_PATH_NOT_FOUND, ENGINE_UNAVAILABLE
 */
export async function chooseEngine(
  engines: readonly InferenceEngine[],
  model: ModelToLoad,
  name: string | undefined,
): Promise<InferenceEngine> {
  if (name !== undefined) return useNamed(engines, model, name);
  let unsupported: AppError | undefined;
  let unavailable: InferenceEngine | undefined;
  for (const engine of engines) {
    if (!(await engine.canLoad(model))) continue;
    const why = await whyNot(engine, model);
    if (why !== undefined) unsupported ??= why;
    else if ((await engine.report()).available) return engine;
    else unavailable ??= engine;
  }
  if (unavailable !== undefined) {
    const why = await refusalOf(unavailable);
    if (why === undefined) return unavailable;
    throw why;
  }
  if (unsupported !== undefined) throw unsupported;
  // Its check says what is missing, where no engine reads it because there is nothing.
  await engines[0]?.check(model);
  throw new AppError("MODEL_UNSUPPORTED", { detail: "No engine of this node reads its format." });
}

async function useNamed(
  engines: readonly InferenceEngine[],
  model: ModelToLoad,
  name: string,
): Promise<InferenceEngine> {
  const engine = engines.find((each) => each.name === name);
  if (engine === undefined) throw new AppError("ENGINE_UNAVAILABLE", { detail: `This node has no engine ${name}.` });
  // What is wrong with the model can be said whether or not the engine is there.
  await engine.check(model);
  const why = await refusalOf(engine);
  if (why !== undefined) throw why;
  return engine;
}

/** What another engine may be able to do after all; a fault of the files is one for all of them. */
async function whyNot(engine: InferenceEngine, model: ModelToLoad): Promise<AppError | undefined> {
  try {
    await engine.check(model);
    return undefined;
  } catch (error) {
    if (error instanceof AppError && error.reason === "MODEL_UNSUPPORTED") return error;
    throw error;
  }
}

async function refusalOf(engine: InferenceEngine): Promise<AppError | undefined> {
  const why = await whyUnavailable(engine);
  return why === undefined ? undefined : new AppError("ENGINE_UNAVAILABLE", { detail: `${engine.name}: ${why}` });
}
