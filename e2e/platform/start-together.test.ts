import { createClient, ProblemError } from "@attune/contracts/rest/create-client.ts";
import { signIn } from "@attune/contracts/rest/identity.ts";
import { createTestDatabase } from "@attune/testkit/test-database.ts";
import { withClient } from "@attune/testkit/with-client.ts";
import { expect, test } from "vitest";
import { startPlatform } from "./start-platform.ts";

/** ROUNDS_OF_STARTS=20 for the whole proof. */
const rounds = Number(process.env["ROUNDS_OF_STARTS"] ?? 2);

test.each(Array.from({ length: rounds }, (_, index) => index + 1))(
  "two nodes that start at once on an empty database come up clean, round %i",
  async () => {
    await using database = await createTestDatabase();
    const started = await Promise.allSettled([startPlatform(database.url), startPlatform(database.url)]);
    const nodes = started.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
    try {
      expect(started.flatMap((one) => (one.status === "rejected" ? [String(one.reason)] : []))).toEqual([]);
      const admins = nodes.flatMap(({ firstAdmin }) => firstAdmin ?? []);
      expect(admins).toHaveLength(1);
      expect(await countRows(database.url)).toEqual({ users: 1, tenants: 1, owners: 1 });
      for (const { url } of nodes) {
        const { body } = await createClient({ baseUrl: url, token: () => undefined })
          .call(signIn, { body: admins[0] ?? { email: "", password: "" } })
          .catch((error: unknown) => {
            throw error instanceof ProblemError ? new Error(error.problem.reason) : error;
          });
        expect(body.must_change_password).toBe(true);
      }
      for (const node of nodes) node.signal("SIGTERM");
      expect(await Promise.all(nodes.map(({ ended }) => ended))).toEqual([0, 0]);
    } finally {
      for (const node of nodes) await node[Symbol.asyncDispose]();
    }
  },
  300_000,
);

const countRows = (url: string) =>
  withClient(url, async (client) => {
    const { rows } = await client.query<Record<string, number>>(
      `select (select count(*)::int from users) as users, (select count(*)::int from tenants) as tenants,
        (select count(*)::int from memberships where role = 'owner') as owners`,
    );
    return rows[0];
  });
