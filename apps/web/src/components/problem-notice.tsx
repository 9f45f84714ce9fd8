import { ProblemError } from "@attune/contracts/rest/create-client.ts";
import type { Problem } from "@attune/contracts/rest/schemas.ts";
import { Alert, Button, Space, Typography } from "antd";
import { useTranslation } from "react-i18next";

interface Props {
  readonly error: unknown;
  readonly onRetry?: () => void;
}

/** What went wrong, what to do about it, and the number to give to an operator. */
export function ProblemNotice({ error, onRetry }: Props) {
  const { t } = useTranslation();
  if (error === undefined || error === null) return null;
  const told = error instanceof ProblemError ? error.problem : undefined;
  const isRefusal = told !== undefined && told.status >= 400 && told.status < 500;
  return (
    <Alert
      type={isRefusal ? "warning" : "error"}
      showIcon
      role="alert"
      title={told?.title ?? (error instanceof Error ? error.message : JSON.stringify(error))}
      description={told && <ProblemDetails problem={told} />}
      action={
        onRetry && (
          <Button size="small" onClick={onRetry}>
            {t("problem.again")}
          </Button>
        )
      }
    />
  );
}

function ProblemDetails({ problem }: { readonly problem: Problem }) {
  const { t } = useTranslation();
  const { title, detail, violations = [], remedy, reason, request_id: requestId } = problem;
  return (
    <Space orientation="vertical" size={2}>
      {detail !== title && <span>{detail}</span>}
      {violations.map(({ pointer, message }) => (
        <Typography.Text key={pointer + message} code>
          {pointer}: {message}
        </Typography.Text>
      ))}
      <span>
        {t("problem.remedy")}: {remedy}
      </span>
      {requestId !== "" && (
        <Typography.Text type="secondary" copyable={{ text: requestId }}>
          {reason} · {t("problem.requestId")} {requestId}
        </Typography.Text>
      )}
    </Space>
  );
}
