import { openaiError } from "@attune/contracts/compute/openai-chat-api.ts";
import { nodeReasons } from "@attune/contracts/errors/node-reasons.ts";
import { problemSchema } from "@attune/contracts/rest/schemas.ts";
import { renderOpenapi } from "@attune/service-kit/http/openapi.ts";
import * as z from "zod";
import type { NodeRoute } from "./node-route.ts";
import { isOpenaiPath } from "./openai-errors.ts";

const nodeProblemSchema = problemSchema
  .extend({
    reason: z.string().meta({
      description: `One of ${Object.keys(nodeReasons).join(", ")}, or a reason that every service of Attune has, such as REQUEST_INVALID`,
    }),
  })
  .meta({ id: "Problem" });

/** The OpenAPI 3.1 document of the node. */
export const renderNodeOpenapi = (routes: readonly NodeRoute[]): Record<string, unknown> =>
  renderOpenapi(
    routes.map((route) => ({
      ...route,
      description: route.access === "public" ? "Open to anybody." : "Needs the node's token, where the node has one.",
      needsToken: route.access === "token",
      refusal: isOpenaiPath(route.path) ? openaiError : undefined,
      headers: Object.entries(route.headers ?? {}).map(([name, description]) => ({
        name,
        isRequired: false,
        description,
      })),
    })),
    {
      title: "Attune compute node",
      description:
        "Runs training, evaluation and inference on one machine. Failures are problems (RFC 9457) with a reason and a remedy; below /v1 they have the form of OpenAI's API.",
      serverUrl: "/",
      tokenDescription: "The token of the node: NODE_AGENT_TOKEN",
      problem: nodeProblemSchema,
    },
  );
