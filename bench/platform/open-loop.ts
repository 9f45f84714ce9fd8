import { Agent, get } from "node:http";

export interface LoadOptions {
  /** Requests a second. */
  readonly rate: number;
  readonly seconds: number;
  readonly token: string;
  /** Address of the request with this number, from 0. */
  readonly urlOf: (index: number) => string;
}

export interface LoadResult {
  /** Milliseconds from the moment at which each request was due until the last byte of its answer. */
  readonly times: readonly number[];
  /** Answers that were no 200, and requests without an answer. */
  readonly failures: number;
  /** The longest that this generator itself was late, in milliseconds; it counts as time of the request. */
  readonly lateMs: number;
}

/**
 * Sends requests at moments that are fixed beforehand, at random as those of users who know nothing of each other, however long the
 * answers take. The time of a request counts from its moment, so that none is left out that a slow answer held up (coordinated
 * omission).
 */
export async function runOpenLoop({ rate, seconds, token, urlOf }: LoadOptions): Promise<LoadResult> {
  const agent = new Agent({ keepAlive: true, maxSockets: 512 });
  const headers = { authorization: `Bearer ${token}` };
  const due = makeArrivals(rate, seconds);
  const times: number[] = [];
  let [failures, lateMs] = [0, 0];
  const startMs = performance.now() + 100;
  const sending = due.map(async (dueMs, index) => {
    await until(startMs + dueMs);
    lateMs = Math.max(lateMs, performance.now() - startMs - dueMs);
    const isAnswered = await send(urlOf(index), { agent, headers });
    if (isAnswered) times.push(performance.now() - startMs - dueMs);
    else failures++;
  });
  await Promise.all(sending);
  agent.destroy();
  return { times, failures, lateMs };
}

/** A Poisson process, the same in every run. */
function makeArrivals(rate: number, seconds: number): number[] {
  const arrivals: number[] = [];
  let state = 1;
  for (let atMs = 0; ;) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    atMs += (-Math.log((state + 1) / 2 ** 32) * 1000) / rate;
    if (atMs > seconds * 1000) return arrivals;
    arrivals.push(atMs);
  }
}

const until = (atMs: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, Math.max(0, atMs - performance.now())));

function send(
  url: string,
  options: { readonly agent: Agent; readonly headers: Record<string, string> },
): Promise<boolean> {
  return new Promise((resolve) => {
    const request = get(url, options, (response) => {
      response.resume();
      response.once("end", () => resolve(response.statusCode === 200));
      response.once("error", () => resolve(false));
    });
    request.once("error", () => resolve(false));
  });
}
