/** A plain grpc-js server that answers every ParseDocument with the same text: the yardstick of grpc-answer.ts. */
import { readFileSync } from "node:fs";
import { loadDocparser } from "@attune/contracts/proto/load-docparser.ts";
import { type sendUnaryData, Server, ServerCredentials, type ServiceDefinition } from "@grpc/grpc-js";

const content = readFileSync(process.argv[2] ?? "", "utf8");
const answer = {
  success: true,
  content,
  content_length: Array.from(content).length,
  file_type: "txt",
  parser_engine: "bare",
};
const server = new Server({ "grpc.max_send_message_length": 1 << 28 });
server.addService(loadDocparser()["docparser.DocumentParser"] as ServiceDefinition, {
  ParseDocument: (_call: unknown, callback: sendUnaryData<object>) => callback(null, answer),
  GetSupportedFormats: (_call: unknown, callback: sendUnaryData<object>) => callback(null, {}),
  GetEngines: (_call: unknown, callback: sendUnaryData<object>) => callback(null, {}),
});
server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (_error, port) => {
  process.stdout.write(`listening on 127.0.0.1:${port}\n`);
});
