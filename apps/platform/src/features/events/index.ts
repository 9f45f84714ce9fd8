export { createEventHub, type EventHub } from "./event-hub.ts";
export { eventsOfOperation } from "./events-of-operation.ts";
export { publishEvent } from "./publish-event.ts";
export { sweepEvents } from "./repo.ts";
export { bindEventRoutes } from "./routes.ts";
