import { leaveTestServer, testServerFolder } from "./test-server.ts";

/** Tells the workers which process the run is, so that a database server that one of them starts outlives the worker. */
export function setup(): void {
  process.env["TEST_RUN_PID"] = String(process.pid);
}

/** Ends the database server that a test of this run, or of one that was killed, has left; nothing where there is none. */
export async function teardown(): Promise<void> {
  await leaveTestServer(testServerFolder, process.pid);
}
