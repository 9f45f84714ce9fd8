import { describeEngine } from "../engine.contract.ts";
import { markitdown } from "./engine.ts";

const program = process.env["PARSER_MARKITDOWN_PATH"] ?? "markitdown";

describeEngine({
  program,
  definition: markitdown,
  peer: { kind: "program", environment: (place) => ({ PARSER_MARKITDOWN_PATH: place }) },
  hasOwnDecoder: true,
  environment: () => ({ PARSER_MARKITDOWN_PATH: program }),
  unavailable: {
    environment: { PARSER_MARKITDOWN_PATH: "/nowhere/markitdown" },
    reason: /not found: .*PARSER_MARKITDOWN_PATH/,
  },
  document: { format: "html", bytes: () => Buffer.from("<h1>Title</h1><ul><li>one — two</li></ul>") },
  expected: /^# Title\n\n- one — two\n$/,
  failures: [
    {
      name: "a conversion that ends with status 1",
      reason: "ENGINE_FAILED",
      environment: () => ({ PARSER_MARKITDOWN_PATH: "false" }),
    },
  ],
});
