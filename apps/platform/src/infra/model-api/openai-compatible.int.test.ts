import { Secret } from "@attune/service-kit/secret.ts";
import { describeModelApi } from "./model-api.contract.ts";
import { startApiUnderTest } from "./model-api-under-test.contract.ts";

for (const reasoning of ["reasoning_content", "think", "think-unopened"] as const) {
  const answer = () => ({ content: "hello there", reasoning: "They greet me." });
  describeModelApi({
    name: `the OpenAI-compatible client with reasoning as ${reasoning}`,
    open: async () => {
      const scripted = (body: { response_format?: unknown }) =>
        body.response_format === undefined ? answer() : '{"city":"Bonn","population":330000}';
      const under = await startApiUnderTest({
        fake: { reasoning, answer: scripted },
      });
      return {
        chat: under.open(),
        embedding: under.open({ apiModel: "fake-embedding" }),
        missing: under.open({ apiModel: "fake-chat-2" }),
        wrongKey: under.open({ secret: new Secret("sk-wrong-key-000") }),
        [Symbol.asyncDispose]: () => under[Symbol.asyncDispose](),
      };
    },
  });
}
