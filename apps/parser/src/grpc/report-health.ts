import type { Server } from "@grpc/grpc-js";
import { HealthImplementation } from "grpc-health-check";

export interface HealthSettings {
  readonly serviceName: string;
  /** Whether documents can be parsed at present; asked again and again. */
  readonly isReady: () => boolean;
  readonly pollMs: number;
}

export interface HealthReport {
  /** NOT_SERVING from now on, whatever comes. */
  end(): void;
}

/** Serves grpc.health.v1.Health: the state of the service under its name and under the empty one. */
export function reportHealth(server: Server, { serviceName, isReady, pollMs }: HealthSettings): HealthReport {
  let wasReady = isReady();
  const initial = wasReady ? "SERVING" : "NOT_SERVING";
  const health = new HealthImplementation({ "": initial, [serviceName]: initial });
  const report = (isServing: boolean): void => {
    for (const name of ["", serviceName]) health.setStatus(name, isServing ? "SERVING" : "NOT_SERVING");
  };
  const timer = setInterval(() => {
    const isNowReady = isReady();
    if (isNowReady !== wasReady) report(isNowReady);
    wasReady = isNowReady;
  }, pollMs);
  timer.unref();
  health.addToServer(server);
  return {
    end: () => {
      clearInterval(timer);
      report(false);
    },
  };
}
