import { CloseOutlined } from "@ant-design/icons";
import { Button, Flex, Progress, Typography } from "antd";
import { useTranslation } from "react-i18next";
import { ProblemNotice } from "../../components/problem-notice.tsx";
import { formatCount, formatSize } from "../../lib/format.ts";
import { FindingsList } from "./findings-list.tsx";
import type { FileUpload, Uploads } from "./use-uploads.ts";

/** The files of an upload: how far each one is, and what was found in it. */
export function UploadList({ uploads }: { readonly uploads: Uploads }) {
  return (
    <ul className="plain-list" aria-live="polite">
      {uploads.files.map((file) => (
        <li key={file.key}>
          <FileLine
            upload={file}
            onRemove={uploads.isRunning || file.state === "done" ? undefined : () => uploads.remove(file.key)}
          />
        </li>
      ))}
    </ul>
  );
}

function FileLine({ upload, onRemove }: { readonly upload: FileUpload; readonly onRemove: (() => void) | undefined }) {
  const { t, i18n } = useTranslation();
  const { file, state, sentBytes, report, error } = upload;
  const percent = file.size === 0 ? 0 : Math.floor((sentBytes / file.size) * 100);
  const counts = report?.counts;
  return (
    <Flex vertical gap={4} style={{ padding: "8px 0" }}>
      <Flex gap={8} align="center">
        <Typography.Text strong style={{ flex: 1, overflowWrap: "anywhere" }}>
          {file.name}
        </Typography.Text>
        <Typography.Text type="secondary">{formatSize(file.size, i18n.language)}</Typography.Text>
        <Typography.Text type={state === "failed" ? "danger" : state === "done" ? "success" : "secondary"}>
          {t(`datasets.fileState.${state}`)}
        </Typography.Text>
        {onRemove && (
          <Button
            size="small"
            type="text"
            icon={<CloseOutlined />}
            aria-label={t("datasets.removeFile", { name: file.name })}
            onClick={onRemove}
          />
        )}
      </Flex>
      {(state === "sending" || state === "offline" || state === "checking") && (
        <Progress percent={percent} size="small" status="active" aria-label={file.name} />
      )}
      <ProblemNotice error={error} />
      {counts && (
        <Typography.Text>
          {t("datasets.fileResult", {
            valid: formatCount(counts.valid, i18n.language),
            raw: formatCount(counts.raw, i18n.language),
          })}
        </Typography.Text>
      )}
      {report && <FindingsList findings={report.findings} />}
    </Flex>
  );
}
