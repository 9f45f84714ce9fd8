import { freeMemory } from "@attune/service-kit/free-memory.ts";
import type { RandomAccess } from "../detection/random-access.ts";
import { type JobMessage, type PartMessage, partBytes } from "./messages.ts";
import type { AskService } from "./remote-recogniser.ts";
import { residentBytes } from "./resident-bytes.ts";

/** Parts of a file that are kept: those read last. A page's parts lie close together, and its fonts are asked for again. */
const keptParts = 16;

/**
 * The file of a job that was sent without it, as a worker asks the service for it, part by part. What `readAt` gives is valid
 * until the next call.
 */
export function createRemoteFile(ask: AskService, { jobId, fileBytes = 0 }: JobMessage): RandomAccess {
  const parts = new Map<number, Uint8Array>();
  const partAt = (index: number): Uint8Array => {
    const part = parts.get(index) ?? askForPart(ask, { jobId, fileBytes, index });
    // The order of a map is that of being put into it.
    parts.delete(index);
    parts.set(index, part);
    const [oldest] = parts;
    if (parts.size > keptParts && oldest !== undefined) {
      parts.delete(oldest[0]);
      freeMemory(oldest[1]);
    }
    return part;
  };
  return {
    sizeBytes: fileBytes,
    readAt: (offset, length) => {
      const end = Math.min(offset + length, fileBytes);
      const first = Math.floor(offset / partBytes);
      if (offset >= end) return new Uint8Array();
      if (Math.floor((end - 1) / partBytes) === first) {
        return partAt(first).subarray(offset - first * partBytes, end - first * partBytes);
      }
      const target = Buffer.allocUnsafeSlow(end - offset);
      for (let index = first; index * partBytes < end; index++) {
        const at = index * partBytes - offset;
        target.set(partAt(index).subarray(Math.max(0, -at), end - offset - at), Math.max(0, at));
      }
      return target;
    },
  };
}

interface PartWanted {
  readonly jobId: number;
  readonly fileBytes: number;
  readonly index: number;
}

function askForPart(ask: AskService, { jobId, fileBytes, index }: PartWanted): Uint8Array {
  const offset = index * partBytes;
  const question: PartMessage = { kind: "part", jobId, offset, rssBytes: residentBytes() };
  const { head, body } = ask(question);
  const isWhole = body.length === Math.min(partBytes, fileBytes - offset);
  if ((head as { kind?: unknown }).kind !== "part" || !isWhole) throw new Error("no answer about a part of the file");
  return body;
}
