import * as z from "zod";
import { defineRoute } from "./define-route.ts";
import { idSchema, timeSchema } from "./schemas.ts";

/** The kinds of resources that events tell of. */
export const eventKinds = ["dataset", "model", "job"] as const;
export type EventKind = (typeof eventKinds)[number];

/** What events tell, by the kind of the resource. */
export const eventTypes = [
  "dataset.created",
  "dataset.changed",
  "dataset.version_made",
  "dataset.deleted",
  "dataset.undeleted",
  "dataset.purged",
  "dataset.access_changed",
  "model.created",
  "model.changed",
  "model.deleted",
  "model.access_changed",
  "job.created",
  "job.changed",
  "job.ended",
] as const satisfies readonly `${EventKind}.${string}`[];
export type EventType = (typeof eventTypes)[number];

export const changeEventSchema = z
  .strictObject({
    id: z.string().meta({ description: "The same as the event's `id`: resume after it" }),
    type: z.string().meta({ description: `One of ${eventTypes.join(", ")}; leave out those that you do not know` }),
    resource_kind: z.string(),
    resource_id: idSchema,
    data: z.record(z.string(), z.unknown()).meta({ description: "Small facts, such as version_no" }),
    created_at: timeSchema,
  })
  .meta({ id: "ChangeEvent" });
export type ChangeEvent = z.infer<typeof changeEventSchema>;

const place = z
  .string()
  .regex(/^\d{1,15}$/, { error: "must be the id of an event" })
  .meta({ description: "Id of the last event that was read" });

export const followEvents = defineRoute({
  id: "followEvents",
  method: "GET",
  path: "/events",
  tag: "events",
  summary: "What changes in the tenant, as server-sent events; resumes after an event",
  access: { kind: "tenant", action: "read", resource: "tenant" },
  query: z.strictObject({
    after: place.optional(),
    resource_kind: z.enum(eventKinds).optional().meta({ description: "Only of such resources" }),
    resource_id: idSchema.optional().meta({ description: "Only of this resource" }),
  }),
  headers: {
    "Last-Event-ID": "The same as `after`, and before it: what an EventSource sends when it connects again",
  },
  responses: {
    200: {
      mediaType: "text/event-stream",
      description:
        "`change`: data is a ChangeEvent. `reset`: events after the given one are no longer kept, read everything anew. " +
        "`problem`: why the stream ends, data is a Problem. Without an end otherwise.",
      data: changeEventSchema,
    },
  },
});
