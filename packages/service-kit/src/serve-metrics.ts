import { createServer } from "node:http";

/** What is served: the present values in the text format of Prometheus. */
export interface ReadableMetrics {
  read(): Promise<string>;
  readonly contentType: string;
}

export interface MetricsServer {
  readonly port: number;
  close(): Promise<void>;
}

/** Serves the metrics at /metrics over HTTP, to whoever reaches the port. @throws Error when the port cannot be had. */
export async function serveMetrics(metrics: ReadableMetrics, host: string, port: number): Promise<MetricsServer> {
  const server = createServer({ requestTimeout: 10_000, headersTimeout: 5000 }, (request, response) => {
    if (request.url !== "/metrics" || request.method !== "GET") {
      response.writeHead(404).end();
      return;
    }
    metrics.read().then(
      (text) => response.writeHead(200, { "content-type": metrics.contentType }).end(text),
      () => response.writeHead(500).end(),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) => reject(new Error(`Metrics cannot be served on port ${port}: ${error.message}`)));
    server.listen(port, host, resolve);
  });
  const address = server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
