import { startTestPlatform } from "../../apps/platform/src/testing/start-test-platform.ts";
import { makeRaces } from "./races.ts";

export interface RaceResult {
  readonly race: string;
  readonly rounds: number;
  readonly violations: readonly string[];
}

/** Runs every race so many rounds, on a database of its own. */
export async function runRaces(rounds: number): Promise<RaceResult[]> {
  await using run = await startTestPlatform({ PLATFORM_RATE_PER_SECOND: "100000" });
  const results: RaceResult[] = [];
  for (const [race, play] of Object.entries(await makeRaces(run))) {
    const violations: string[] = [];
    for (let round = 1; round <= rounds; round++) {
      const fault = await play(round);
      if (fault !== undefined) violations.push(`round ${round}: ${fault}`);
    }
    results.push({ race, rounds, violations });
  }
  return results;
}

if (import.meta.main) {
  const results = await runRaces(Number(process.argv[2] ?? 200));
  for (const { race, rounds, violations } of results) {
    console.log(`${race}: ${rounds} rounds, ${violations.length} violations`);
    for (const violation of violations.slice(0, 5)) console.log(`  ${violation}`);
  }
  process.exitCode = results.some(({ violations }) => violations.length > 0) ? 1 : 0;
}
