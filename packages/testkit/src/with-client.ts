import { Client } from "pg";

/** Runs `work` on a connection of its own. */
export async function withClient<TResult>(url: string, work: (client: Client) => Promise<TResult>): Promise<TResult> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 30_000 });
  client.on("error", () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}
