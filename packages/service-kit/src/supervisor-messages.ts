import * as z from "zod";

const supervisorMessage = z.discriminatedUnion("type", [
  /** The service answers at this address. */
  z.object({ type: z.literal("ready"), url: z.string() }),
  /** The first start made the first account; the password is told this once. */
  z.object({ type: z.literal("first-admin"), email: z.string(), password: z.string() }),
]);

/** What a service tells the supervisor that started it, over the IPC channel. */
export type SupervisorMessage = z.infer<typeof supervisorMessage>;

/** @returns whether there is a supervisor to hear it; where there is none, whoever started the service must be told otherwise. */
export function tellSupervisor(message: SupervisorMessage): boolean {
  if (process.send === undefined || !process.connected) return false;
  // A parent that goes at this moment is exitWithParent's concern.
  process.send(message, undefined, undefined, () => undefined);
  return true;
}

/** @returns undefined for what is no message to a supervisor. */
export function parseSupervisorMessage(message: unknown): SupervisorMessage | undefined {
  return supervisorMessage.safeParse(message).data;
}
