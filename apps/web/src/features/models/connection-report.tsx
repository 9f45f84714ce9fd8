import type { connectionReportSchema } from "@attune/contracts/rest/models.ts";
import { Alert, Timeline, Typography } from "antd";
import { useTranslation } from "react-i18next";
import type * as z from "zod";

/** What was asked of an API, what came back, and what to do when it was not enough. */
export function ConnectionReport({ report }: { readonly report: z.infer<typeof connectionReportSchema> }) {
  const { t } = useTranslation();
  const { is_ok: isOk, steps, failure } = report;
  return (
    <>
      <Alert
        type={isOk ? "success" : "warning"}
        showIcon
        title={t(isOk ? "models.testedOk" : "models.testedBad")}
        description={
          failure && (
            <>
              <p style={{ margin: 0 }}>{failure.what}</p>
              <p style={{ margin: 0 }}>
                {t("problem.remedy")}: {failure.remedy}
              </p>
              <Typography.Text type="secondary">{failure.reason}</Typography.Text>
            </>
          )
        }
        style={{ marginBottom: 16 }}
      />
      <Timeline
        items={steps.map(({ asked, has_passed: hasPassed, latency_ms: latencyMs, outcome }) => ({
          color: hasPassed ? "green" : "red",
          content: (
            <>
              <code>{asked}</code>
              <br />
              {outcome}{" "}
              <Typography.Text type="secondary">{t("models.milliseconds", { count: latencyMs })}</Typography.Text>
            </>
          ),
        }))}
      />
    </>
  );
}
