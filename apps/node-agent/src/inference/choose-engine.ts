import { AppError } from "@attune/service-kit/app-error.ts";
import type { InferenceEngine, ModelToLoad } from "../engines/inference-engine.ts";

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
  let refusal: AppError | undefined;
  for (const engine of engines) {
    if (!(await engine.canLoad(model))) continue;
    const why = (await whyNot(engine, model)) ?? (await whyUnavailable(engine));
    if (why === undefined) return engine;
    refusal ??= why;
  }
  if (refusal !== undefined) throw refusal;
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
  const why = await whyUnavailable(engine);
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

async function whyUnavailable(engine: InferenceEngine): Promise<AppError | undefined> {
  const { available, unavailableReason } = await engine.report();
  if (available) return undefined;
  return new AppError("ENGINE_UNAVAILABLE", { detail: `${engine.name}: ${unavailableReason}` });
}
