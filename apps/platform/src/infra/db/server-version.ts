import { ConfigError } from "@attune/service-kit/load-config.ts";

/** PostgreSQL 15, as server_version_num tells it: the oldest that the tests run on. */
const oldestVersion = 150_000;

interface Asked {
  readonly query: (text: string) => Promise<{ readonly rows: readonly Record<string, unknown>[] }>;
}

/** Before anything is written. @throws ConfigError for a server that is too old. */
export async function assertServerVersion(client: Asked): Promise<void> {
  const { rows } = await client.query(
    "select current_setting('server_version_num')::int as number, current_setting('server_version') as version",
  );
  const { number, version } = rows[0] ?? {};
  if (Number(number) >= oldestVersion) return;
  throw new ConfigError([`DATABASE_URL: the server is PostgreSQL ${String(version)}; 15 or newer is needed`]);
}
