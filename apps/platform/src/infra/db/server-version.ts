import { oldestPostgresVersion } from "@attune/service-kit/postgres/oldest-version.ts";
import { ConfigError } from "@attune/service-kit/load-config.ts";

interface Asked {
  readonly query: (text: string) => Promise<{ readonly rows: readonly Record<string, unknown>[] }>;
}

/** Before anything is written. @throws ConfigError for a server that is too old. */
export async function assertServerVersion(client: Asked): Promise<void> {
  const { rows } = await client.query(
    "select current_setting('server_version_num')::int as number, current_setting('server_version') as version",
  );
  const { number, version } = rows[0] ?? {};
  if (Number(number) >= oldestPostgresVersion) return;
  throw new ConfigError([`DATABASE_URL: the server is PostgreSQL ${String(version)}; 15 or newer is needed`]);
}
