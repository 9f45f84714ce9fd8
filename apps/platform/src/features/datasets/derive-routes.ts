import {
  convertDataset as convertDatasetRoute,
  splitDataset as splitDatasetRoute,
} from "@attune/contracts/rest/datasets.ts";
import { AppError } from "@attune/service-kit/app-error.ts";
import { type KeyedRequest, runIdempotent } from "../../http/idempotency.ts";
import { bindRoute, type Reply, type RequestContext, type RouteBinding } from "../../http/route-binding.ts";
import type { Database, Transaction } from "../../infra/db/create-database.ts";
import {
  type ConversionResult,
  convertDataset,
  type Derivation,
  splitDataset,
  type SplitResult,
} from "./derive-datasets.ts";
import { type DatasetPorts, getAllowed } from "./ports.ts";
import type { DatasetRow } from "./repo.ts";
import { toWire, toWireCounts } from "./to-wire.ts";
import { getVersion } from "./version-repo.ts";

/** Routes that make datasets of a dataset. They read it whole before their transaction begins. */
export function bindDeriveRoutes(ports: DatasetPorts): RouteBinding[] {
  return [
    bindRoute(convertDatasetRoute, (context) => convert(ports, context), "own"),
    bindRoute(splitDatasetRoute, (context) => split(ports, context), "own"),
  ];
}

function convert(ports: DatasetPorts, context: RequestContext<typeof convertDatasetRoute>) {
  const { name, layout, text_style: textStyle } = context.body;
  return derive(ports, context, {
    id: convertDatasetRoute.id,
    run: (derivation: Derivation<ConversionResult>) => convertDataset(derivation, { name, layout, textStyle }),
    madeOf: ({ dataset }) => [dataset],
    toBody: ({ dataset, counts }) => ({ dataset: toWire(dataset), counts: toWireCounts(counts) }),
  });
}

function split(ports: DatasetPorts, context: RequestContext<typeof splitDatasetRoute>) {
  const { train_name: trainName, validation_name: validationName, validation_fraction, seed } = context.body;
  const rule = { trainName, validationName, validationFraction: validation_fraction, seed };
  return derive(ports, context, {
    id: splitDatasetRoute.id,
    run: (derivation: Derivation<SplitResult>) => splitDataset(derivation, rule),
    madeOf: ({ train, validation }) => [train, validation],
    toBody: ({ train, validation, duplicatesRemoved }) => ({
      train: toWire(train),
      validation: toWire(validation),
      counts: {
        train: train.recordCount,
        validation: validation.recordCount,
        duplicates_removed: duplicatesRemoved,
      },
    }),
  });
}

type DeriveContext = RequestContext<typeof convertDatasetRoute> | RequestContext<typeof splitDatasetRoute>;

interface Answer<Body> {
  readonly status: number;
  readonly body: Body;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Work<Result, Body> {
  /** Of the operation. */
  readonly id: string;
  readonly run: (derivation: Derivation<Result>) => Promise<Result>;
  readonly madeOf: (result: Result) => readonly DatasetRow[];
  readonly toBody: (result: Result) => Body;
}

/** Makes datasets once for an Idempotency-Key; a repetition gets the first answer without the work. */
async function derive<Result, Body>(
  ports: DatasetPorts,
  context: DeriveContext,
  work: Work<Result, Body>,
): Promise<Answer<Body>> {
  const { database } = ports;
  const { idempotencyKey: key, tenantId, principal, params, body } = context;
  const { userId } = principal;
  const keyed = key === undefined ? undefined : { userId, key, content: [work.id, tenantId, params, body] };
  const earlier = keyed === undefined ? undefined : await findAnswer(database, keyed);
  if (earlier !== undefined) return earlier as Answer<Body>;
  const dataset = await getAllowed(context, "use");
  if (dataset.versionNo === 0) throw new AppError("DATASET_EMPTY");
  const version = await getVersion(database.queries, dataset.id, dataset.versionNo);
  const target = { resourceKind: "dataset", resourceId: dataset.id, details: { version_no: version.versionNo } };
  const commit = (make: (tx: Transaction) => Promise<Result>): Promise<Result> =>
    database.transaction((tx) =>
      commitOnce(tx, keyed, async () => {
        const result = await make(tx);
        const made = work.madeOf(result).map(({ id, name }) => ({ id, name }));
        const operation = context.operation({ ...target, details: { ...target.details, made } });
        await ports.appendOperation(tx, operation);
        return { result, reply: { status: 201, body: work.toBody(result) } };
      }),
    );
  try {
    return { status: 201, body: work.toBody(await work.run({ database, dataset, version, userId, commit })) };
  } catch (error) {
    if (error instanceof AnsweredError) return error.reply as Answer<Body>;
    throw error;
  }
}

interface Committed<Result> {
  readonly result: Result;
  readonly reply: Reply & { readonly status: number };
}

/** @throws AnsweredError when the key has an answer by now. */
async function commitOnce<Result>(
  tx: Transaction,
  keyed: KeyedRequest | undefined,
  write: () => Promise<Committed<Result>>,
): Promise<Result> {
  if (keyed === undefined) return (await write()).result;
  const written: Result[] = [];
  const reply = await runIdempotent(tx, keyed, async () => {
    const committed = await write();
    written.push(committed.result);
    return committed.reply;
  });
  const [result] = written;
  if (result === undefined) throw new AnsweredError(reply);
  return result;
}

/** Another request with the same key was quicker: what this one wrote is removed, and it gets that answer. */
class AnsweredError extends Error {
  override readonly name = "AnsweredError";
  readonly reply: Reply;

  constructor(reply: Reply) {
    super("The request was answered already.");
    this.reply = reply;
  }
}

class NotAnsweredError extends Error {
  override readonly name = "NotAnsweredError";
}

/** The answer that a key got; reserves nothing when there is none. @throws AppError `IDEMPOTENCY_KEY_REUSED`. */
async function findAnswer(database: Database, keyed: KeyedRequest): Promise<Reply | undefined> {
  try {
    return await database.transaction((tx) => runIdempotent(tx, keyed, () => Promise.reject(new NotAnsweredError())));
  } catch (error) {
    if (error instanceof NotAnsweredError) return undefined;
    throw error;
  }
}
