import { expect, test } from "vitest";
import { loadConfig } from "./config.ts";

test("the defaults run everything on this machine", () => {
  expect(loadConfig({}, "/repository")).toEqual({
    dataFolder: "/repository/data",
    host: "127.0.0.1",
    port: 8080,
    parserPort: 50_051,
    nodePort: 8090,
    databaseUrl: undefined,
  });
});

test("a relative data folder begins at the repository, an absolute one stands for itself", () => {
  expect(loadConfig({ ATTUNE_DATA_DIR: "more/data" }, "/repository").dataFolder).toBe("/repository/more/data");
  expect(loadConfig({ ATTUNE_DATA_DIR: "/srv/attune" }, "/repository").dataFolder).toBe("/srv/attune");
});

test("the services' own settings count where none was made for the start", () => {
  const services = { PLATFORM_HOST: "0.0.0.0", PLATFORM_PORT: "9090", PARSER_PORT: "6000", NODE_AGENT_PORT: "7000" };
  expect(loadConfig(services, "/")).toMatchObject({ host: "0.0.0.0", port: 9090, parserPort: 6000, nodePort: 7000 });
  expect(loadConfig({ ...services, ATTUNE_PORT: "7070" }, "/")).toMatchObject({ port: 7070 });
});

test("a misspelt setting is a fault", () => {
  expect(() => loadConfig({ ATTUNE_PROT: "1" }, "/")).toThrow(/ATTUNE_PROT: there is no such setting/);
});
