/** PostgreSQL 15, as server_version_num tells it: the oldest that the tests run on. */
export const oldestPostgresVersion = 150_000;
