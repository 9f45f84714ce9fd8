import { diffDatasetVersions } from "@attune/contracts/rest/datasets.ts";
import type { Dataset } from "@attune/contracts/rest/dataset-schemas.ts";
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { Empty, Flex, InputNumber, Skeleton, Tag, Typography } from "antd";
import { useTranslation } from "react-i18next";
import { MoreButton } from "../../components/more-button.tsx";
import { ProblemNotice } from "../../components/problem-notice.tsx";
import { api } from "../../lib/api.ts";
import { formatCount } from "../../lib/format.ts";
import { indentJson } from "../../lib/json-text.ts";
import { useSession } from "../../lib/session.tsx";
import type { RowChange } from "./locate-row.ts";
import { markLines } from "./mark-lines.ts";

export interface ComparedVersions {
  readonly from: number;
  readonly to: number;
}

interface Props {
  readonly dataset: Dataset;
  readonly compared: ComparedVersions | undefined;
  readonly onChange: (compared: ComparedVersions) => void;
}

const kinds = ["added", "removed", "changed", "moved", "unchanged"] as const;

/** What differs between two versions, row by row. */
export function VersionDiff({ dataset, compared, onChange }: Props) {
  const { t, i18n } = useTranslation();
  const { tenant } = useSession();
  const { from = dataset.version_no - 1, to = dataset.version_no } = compared ?? {};
  const query = useInfiniteQuery({
    queryKey: ["diff", tenant?.id, dataset.id, from, to],
    staleTime: Infinity,
    initialPageParam: 0,
    queryFn: async ({ pageParam: offset, signal }) => {
      const params = { dataset_id: dataset.id };
      return (await api.call(diffDatasetVersions, { params, query: { from, to, offset, limit: 50 }, signal })).body;
    },
    getNextPageParam: (page) => page.next_offset ?? undefined,
    placeholderData: keepPreviousData,
  });
  const counts = query.data?.pages[0];
  const items = query.data?.pages.flatMap((page) => page.items) ?? [];
  const versionInput = (value: number, label: string, set: (next: number) => void) => (
    <InputNumber
      aria-label={label}
      min={1}
      max={dataset.version_no}
      precision={0}
      value={value}
      style={{ width: 80 }}
      onChange={(next) => next !== null && set(next)}
    />
  );
  return (
    <section aria-label={t("datasets.compareWith")}>
      <Flex gap={8} align="center" wrap style={{ marginBottom: 12 }}>
        <Typography.Title level={2} style={{ fontSize: 16, margin: 0 }}>
          {t("datasets.compareWith")}
        </Typography.Title>
        <span>{t("datasets.compareFrom")}</span>
        {versionInput(from, t("datasets.compareFrom"), (next) => onChange({ from: next, to }))}
        <span>{t("datasets.compareTo")}</span>
        {versionInput(to, t("datasets.compareTo"), (next) => onChange({ from, to: next }))}
        {counts &&
          kinds.map((kind) => (
            <Tag key={kind} style={{ margin: 0 }}>
              {t(`datasets.diff.${kind}`, { n: formatCount(counts[kind], i18n.language) })}
            </Tag>
          ))}
      </Flex>
      <ProblemNotice error={query.error} onRetry={() => void query.refetch()} />
      {query.isLoading && <Skeleton active />}
      {counts && items.length === 0 && <Empty description={t("datasets.noChanges")} />}
      <ul className="plain-list">
        {items.map((change) => (
          <li key={`${change.kind} ${change.from_row} ${change.row}`} style={{ marginBottom: 12 }}>
            <Change change={change} />
          </li>
        ))}
      </ul>
      <MoreButton query={query} />
    </section>
  );
}

function Change({ change }: { readonly change: RowChange }) {
  const { t } = useTranslation();
  const { kind, row, from_row: fromRow, text, from_text: fromText } = change;
  const marks = markLines(indentJson(fromText ?? ""), indentJson(text ?? ""));
  return (
    <Flex vertical gap={4}>
      <Flex gap={8}>
        <Tag style={{ margin: 0 }}>{t(`datasets.kinds.${kind}`)}</Tag>
        <span>
          {row !== null && t("datasets.rowNo", { row })}
          {row !== null && fromRow !== null && fromRow !== row && ` (${t("datasets.fromRow", { row: fromRow })})`}
          {row === null && fromRow !== null && t("datasets.fromRow", { row: fromRow })}
        </span>
      </Flex>
      <Flex gap={8} wrap>
        {fromText !== null && kind !== "moved" && (
          <Side className="is-before" label={t("datasets.before")} lines={marks.before} />
        )}
        {text !== null && <Side className="is-after" label={t("datasets.after")} lines={marks.after} />}
      </Flex>
    </Flex>
  );
}

interface SideProps {
  readonly className: string;
  readonly label: string;
  readonly lines: readonly { readonly text: string; readonly isMarked: boolean }[];
}

function Side({ className, label, lines }: SideProps) {
  return (
    <pre className={`row-json ${className}`} aria-label={label} tabIndex={0} style={{ flex: "1 1 320px", minWidth: 0 }}>
      {lines.map(({ text, isMarked }, index) =>
        isMarked ? (
          // oxlint-disable-next-line react/no-array-index-key -- lines have no other name
          <mark key={index}>{text || " "}</mark>
        ) : (
          `${text}\n`
        ),
      )}
    </pre>
  );
}
