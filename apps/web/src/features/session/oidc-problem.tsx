import { httpStatusOf } from "@attune/contracts/errors/http-status.ts";
import { type PlatformReasonEntry, platformReasons } from "@attune/contracts/errors/platform-reasons.ts";
import { ProblemError } from "@attune/contracts/rest/create-client.ts";
import { useState } from "react";
import { ProblemNotice } from "../../components/problem-notice.tsx";

/** Why a sign-in at the identity provider failed: the platform sends the browser back with the reason in the address. */
export function OidcProblem() {
  const [error] = useState(() => readProblem(new URLSearchParams(window.location.search)));
  if (error === undefined) return null;
  return (
    <div style={{ marginBottom: 16 }}>
      <ProblemNotice error={error} />
    </div>
  );
}

// Only what the catalogue holds is shown, so that an address cannot put words into the page.
function readProblem(told: URLSearchParams): ProblemError | undefined {
  const reason = told.get("problem") ?? "";
  const known: Readonly<Partial<Record<string, PlatformReasonEntry>>> = platformReasons;
  const entry = Object.hasOwn(known, reason) ? known[reason] : undefined;
  const requestId = told.get("request_id") ?? "";
  if (entry === undefined || !/^[\w.-]{0,80}$/.test(requestId)) return undefined;
  return new ProblemError({
    type: "about:blank",
    title: entry.sentence,
    status: entry.httpStatus ?? httpStatusOf[entry.code],
    detail: entry.sentence,
    code: entry.code,
    reason,
    remedy: entry.remedy,
    request_id: requestId,
  });
}
