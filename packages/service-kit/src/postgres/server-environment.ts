/** All that the server sees of the environment: no PG… variable of the caller changes it, and no secret reaches it. */
export const serverEnvironment: Readonly<Record<string, string>> = {
  LC_ALL: process.platform === "linux" ? "C.UTF-8" : "C",
  TZ: "UTC",
};
