import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { createServer as createTcpServer, type AddressInfo, type Server as TcpServer, type Socket } from "node:net";

export interface HttpFixture extends AsyncDisposable {
  readonly port: number;
  /** `http://host:port` or `https://…`. */
  readonly origin: string;
  /** Every request that arrived, in order. */
  readonly requests: readonly RecordedRequest[];
  /** Connections that were made, requests or not. */
  readonly connectionCount: number;
}

export interface RecordedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly servername: string | undefined;
}

export interface HttpFixtureOptions {
  /** Loopback address to listen on; all of 127.0.0.0/8 works on Linux. */
  readonly host?: string;
  /** A port that must be had; any free one otherwise. */
  readonly port?: number;
  readonly tls?: { readonly key: string; readonly cert: string };
}

/** An HTTP server on a free port of loopback that records what reaches it. */
export async function startHttpFixture(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
  { host = "127.0.0.1", port: wantedPort = 0, tls }: HttpFixtureOptions = {},
): Promise<HttpFixture> {
  const requests: RecordedRequest[] = [];
  const listener: RequestListener = (request, response) => {
    const { method = "", url = "", headers, socket } = request;
    requests.push({ method, url, headers, servername: "servername" in socket ? String(socket.servername) : undefined });
    answer(request, response);
  };
  const server: Server = tls === undefined ? createServer(listener) : createTlsServer(tls, listener);
  const { port, connections, close } = await listen(server, host, wantedPort);
  return {
    port,
    origin: `${tls === undefined ? "http" : "https"}://${host}:${port}`,
    requests,
    get connectionCount() {
      return connections.count;
    },
    [Symbol.asyncDispose]: close,
  };
}

export type RawFixture = Omit<HttpFixture, "requests">;

/** A TCP server that answers with whatever bytes it likes; it is called when the first bytes of a request have come. */
export async function startRawFixture(answer: (socket: Socket) => void, host = "127.0.0.1"): Promise<RawFixture> {
  const server = createTcpServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => answer(socket));
  });
  const { port, connections, close } = await listen(server, host);
  return {
    port,
    origin: `http://${host}:${port}`,
    get connectionCount() {
      return connections.count;
    },
    [Symbol.asyncDispose]: close,
  };
}

/** A port of loopback at which nothing listens. */
export async function findClosedPort(host = "127.0.0.1"): Promise<number> {
  const { port, close } = await listen(createTcpServer(), host);
  await close();
  return port;
}

async function listen(server: TcpServer, host: string, wantedPort = 0) {
  const sockets = new Set<Socket>();
  const connections = { count: 0 };
  server.on("connection", (socket: Socket) => {
    connections.count++;
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(wantedPort, host, resolve);
  });
  const close = async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise<void>((resolve) => {
      server.close(() => resolve());
    });
  };
  return { port: (server.address() as AddressInfo).port, connections, close };
}
