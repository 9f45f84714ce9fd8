import type { ChangeEvent } from "@attune/contracts/rest/events.ts";
import type { AppError } from "@attune/service-kit/app-error.ts";
import { renderEvent } from "@attune/service-kit/http/render-event.ts";
import { toProblem } from "../../http/to-problem.ts";
import type { EventRow } from "./repo.ts";

/** How long a reader should wait before it connects again, in milliseconds; it should add a part by chance. */
const retryMs = 1000;

const render = (name: string, id: number | undefined, data: unknown): Buffer =>
  renderEvent({ event: name, id: id === undefined ? undefined : String(id), text: JSON.stringify(data) });

export function renderChange(row: EventRow): Buffer {
  const event: ChangeEvent = {
    id: String(row.seq),
    type: row.type,
    resource_kind: row.resourceKind,
    resource_id: row.resourceId,
    data: row.data,
    created_at: row.createdAt.toISOString(),
  };
  return render("change", row.seq, event);
}

/** History was lost: the reader knows nothing of what came before `head`. */
export const renderReset = (head: number): Buffer => render("reset", head, { id: String(head) });

export const renderProblem = (error: AppError, requestId: string): Buffer =>
  render("problem", undefined, toProblem(error, requestId).problem);

/** Tells nothing but the place to resume after, so that a reader who may see little does not fall behind. */
export const renderHeartbeat = (position: number): Buffer => Buffer.from(`: alive\nid: ${position}\n\n`);

export const renderStart = (position: number): Buffer =>
  Buffer.from(`retry: ${retryMs}\n: events follow\nid: ${position}\n\n`);
