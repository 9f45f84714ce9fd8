import { ProblemError } from "@attune/contracts/rest/create-client.ts";

interface SendOptions {
  /** Bytes of the body that have left so far. */
  readonly onProgress: (sentBytes: number) => void;
  /** Time without a byte sent or answered after which the request is given up. */
  readonly stallTimeoutMs: number;
}

/**
 * `fetch` over XMLHttpRequest, which alone tells how much of a body has left.
 * @throws ProblemError `UPLOAD_STALLED`; whatever `signal` was aborted with; TypeError where there is no connection.
 */
export function sendByXhr({ onProgress, stallTimeoutMs }: SendOptions): typeof fetch {
  return (input, init = {}) =>
    new Promise((resolve, reject) => {
      const request = new XMLHttpRequest();
      let timer: ReturnType<typeof setTimeout> | undefined;
      let isSent = false;
      const end = (settle: () => void): void => {
        clearTimeout(timer);
        settle();
      };
      const watch = (): void => {
        clearTimeout(timer);
        timer = setTimeout(() => {
          end(() => reject(stalled(isSent, stallTimeoutMs)));
          request.abort();
        }, stallTimeoutMs);
      };
      request.open(init.method ?? "GET", input instanceof Request ? input.url : input);
      for (const [name, value] of new Headers(init.headers)) request.setRequestHeader(name, value);
      request.upload.addEventListener("progress", ({ loaded }) => {
        watch();
        onProgress(loaded);
      });
      request.upload.addEventListener("load", () => {
        isSent = true;
        watch();
      });
      request.addEventListener("progress", watch);
      request.addEventListener("load", () => end(() => resolve(toResponse(request))));
      request.addEventListener("error", () => end(() => reject(new TypeError("The connection broke."))));
      request.addEventListener("abort", () => end(() => reject(new DOMException("Aborted", "AbortError"))));
      init.signal?.addEventListener("abort", () => request.abort());
      watch();
      request.send((init.body ?? null) as XMLHttpRequestBodyInit | null);
    });
}

function toResponse(request: XMLHttpRequest): Response {
  const lines = request.getAllResponseHeaders().trim().split("\r\n");
  const headers = new Headers(
    lines.map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1)]),
  );
  const body = request.status === 204 ? null : request.responseText;
  return new Response(body, { status: request.status, statusText: request.statusText, headers });
}

const stalled = (isSent: boolean, stallTimeoutMs: number): ProblemError =>
  new ProblemError({
    type: "about:blank",
    title: "The upload stands still",
    status: 0,
    detail: isSent
      ? `All bytes have left, and for ${stallTimeoutMs / 1000} seconds no answer has come.`
      : `For ${stallTimeoutMs / 1000} seconds no byte has left.`,
    code: "deadline_exceeded",
    reason: "UPLOAD_STALLED",
    remedy: isSent
      ? "Look at the versions of the dataset first: the file may have arrived. Then resume."
      : "Check the connection, then resume: files that have arrived are not sent again.",
    request_id: "",
  });
