import { nodeHealthSchema, type NodeHealth } from "@attune/contracts/compute/node-health.ts";
import * as z from "zod";
import { bindNodeRoute, defineNodeRoute, type NodeBinding } from "./node-route.ts";

export const getLiveness = defineNodeRoute({
  id: "getLiveness",
  method: "GET",
  path: "/healthz",
  tag: "Health",
  summary: "Answers while the agent serves",
  access: "public",
  responses: { 200: z.strictObject({ status: z.literal("ok") }) },
});

export const getHealth = defineNodeRoute({
  id: "getHealth",
  method: "GET",
  path: "/health",
  tag: "Health",
  summary:
    "The agent, its engines, GPUs, memory and disk with a storage probe, checked now; status 200 whatever is found, within six seconds",
  access: "token",
  responses: { 200: nodeHealthSchema },
});

export const getMetrics = defineNodeRoute({
  id: "getMetrics",
  method: "GET",
  path: "/metrics",
  tag: "Health",
  summary: "Figures of the agent, its jobs, models and GPUs for Prometheus",
  access: "token",
  responses: {
    200: { mediaType: "text/plain; version=0.0.4; charset=utf-8", description: "The text format of Prometheus" },
  },
});

export interface HealthServices {
  readonly health: () => Promise<NodeHealth>;
  readonly metrics: { read(): Promise<string> };
}

/** What tells how the node is. */
export const healthRoutes = ({ health, metrics }: HealthServices): NodeBinding[] => [
  bindNodeRoute(getLiveness, async () => ({ body: { status: "ok" as const } })),
  bindNodeRoute(getHealth, async () => ({ body: await health() })),
  bindNodeRoute(getMetrics, async () => ({ body: await metrics.read() })),
];
