import { integerSetting } from "@attune/service-kit/load-config.ts";
import type * as z from "zod";

/** Keys of the environment for the feed of events. */
export const eventSettings = {
  PLATFORM_EVENT_RETENTION_HOURS: integerSetting(
    { min: 1, max: 8760, fallback: 168 },
    "How long an event can be resumed after",
  ),
  PLATFORM_EVENT_MAX_PER_TENANT: integerSetting(
    { min: 100, max: 10_000_000, fallback: 100_000 },
    "Events of one tenant that are kept, the newest ones",
  ),
  PLATFORM_EVENT_STREAMS_PER_USER: integerSetting(
    { min: 1, max: 10_000, fallback: 20 },
    "Streams of events that one user may have open on one node",
  ),
  PLATFORM_EVENT_STREAMS_PER_TENANT: integerSetting(
    { min: 1, max: 100_000, fallback: 1000 },
    "Streams of events that one tenant may have open on one node",
  ),
  PLATFORM_EVENT_HEARTBEAT_MS: integerSetting(
    { min: 100, max: 60_000, fallback: 15_000 },
    "How often a stream of events shows that it lives, and its token is checked",
  ),
  PLATFORM_EVENT_STALL_TIMEOUT_MS: integerSetting(
    { min: 100, max: 600_000, fallback: 30_000 },
    "How long a stream of events may wait for its reader before it is cut off, to be resumed",
  ),
};

type Given = z.infer<z.ZodObject<typeof eventSettings>>;

export interface EventRetention {
  readonly maxAgeMs: number;
  readonly maxPerTenant: number;
}

export interface EventStreamSettings {
  readonly maxPerUser: number;
  readonly maxPerTenant: number;
  readonly heartbeatMs: number;
  readonly stallTimeoutMs: number;
}

export const toEventRetention = (given: Given): EventRetention => ({
  maxAgeMs: given.PLATFORM_EVENT_RETENTION_HOURS * 3_600_000,
  maxPerTenant: given.PLATFORM_EVENT_MAX_PER_TENANT,
});

export const toEventStreamSettings = (given: Given): EventStreamSettings => ({
  maxPerUser: given.PLATFORM_EVENT_STREAMS_PER_USER,
  maxPerTenant: given.PLATFORM_EVENT_STREAMS_PER_TENANT,
  heartbeatMs: given.PLATFORM_EVENT_HEARTBEAT_MS,
  stallTimeoutMs: given.PLATFORM_EVENT_STALL_TIMEOUT_MS,
});
