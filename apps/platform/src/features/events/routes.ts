import { followEvents } from "@attune/contracts/rest/events.ts";
import { AppError } from "@attune/service-kit/app-error.ts";
import { bindRoute, type RequestContext, type RouteBinding } from "../../http/route-binding.ts";
import type { EventHub } from "./event-hub.ts";

export function bindEventRoutes(hub: EventHub): RouteBinding[] {
  return [bindRoute(followEvents, (context) => follow(hub, context))];
}

async function follow(hub: EventHub, context: RequestContext<typeof followEvents>) {
  const { principal, tenantId, requestId, query, headers, signal } = context;
  const after = toPlace(headers["last-event-id"]) ?? query.after;
  const filter = { resourceKind: query.resource_kind, resourceId: query.resource_id };
  const request = { principal, tenantId, requestId, filter, after: after === undefined ? undefined : Number(after) };
  return {
    body: await hub.open(request, signal),
    headers: {
      "content-type": "text/event-stream; charset=utf-8",
      // A proxy that collects what it passes on would hold events back.
      "x-accel-buffering": "no",
    },
  };
}

/** @throws AppError `REQUEST_INVALID`. */
function toPlace(header: string | readonly string[] | undefined): string | undefined {
  if (header === undefined || header === "") return undefined;
  if (typeof header === "string" && /^\d{1,15}$/.test(header)) return header;
  throw new AppError("REQUEST_INVALID", {
    violations: [{ pointer: "Last-Event-ID", message: "must be the id of an event" }],
  });
}
