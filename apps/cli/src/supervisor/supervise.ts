import type { SupervisorMessage } from "@attune/service-kit/supervisor-messages.ts";
import { type ServiceDefinition, SupervisedService } from "./supervised-service.ts";

export interface SupervisorEvents {
  /** Hears every line of the services, with their names, and what happens to them. */
  readonly write: (line: string) => void;
  readonly onMessage?: (service: string, message: SupervisorMessage) => void;
}

export interface Supervisor {
  /** Resolves with the address of each service, by name, once all have told theirs. @throws Error when one refuses to run. */
  readonly ready: Promise<ReadonlyMap<string, string>>;
  /** Stops all services at once and resolves when they are gone. */
  stop(): Promise<void>;
}

/** Keeps the services running until it is stopped. */
export function supervise(definitions: readonly ServiceDefinition[], events: SupervisorEvents): Supervisor {
  const addresses = new Map<string, string>();
  const { promise: ready, resolve, reject } = Promise.withResolvers<ReadonlyMap<string, string>>();
  ready.catch(() => undefined); // whoever only stops it does not wait for it
  const services = definitions.map(
    (definition) =>
      new SupervisedService(definition, {
        write: events.write,
        onMessage: (name, message) => {
          events.onMessage?.(name, message);
          if (message.type !== "ready") return;
          addresses.set(name, message.url);
          if (addresses.size === definitions.length) resolve(addresses);
        },
        onRefusal: (name) => reject(new Error(`${name} does not start as it is configured: see its lines above.`)),
      }),
  );
  for (const service of services) service.start();
  return {
    ready,
    stop: async () => {
      await Promise.all(services.map((service) => service.stop()));
    },
  };
}
