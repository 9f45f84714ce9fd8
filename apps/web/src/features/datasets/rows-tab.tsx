import type { Dataset } from "@attune/contracts/rest/dataset-schemas.ts";
import { Button, Empty, Flex, Input, InputNumber, Select, Typography } from "antd";
import { useCallback, useState } from "react";
import { useTranslation } from "react-i18next";
import { MoreButton } from "../../components/more-button.tsx";
import { ProblemNotice } from "../../components/problem-notice.tsx";
import { formatCount } from "../../lib/format.ts";
import { useDatasetRights, useVersion } from "./dataset-queries.ts";
import { type EditedRow, RowEditor } from "./row-editor.tsx";
import { RowWindow } from "./row-window.tsx";
import { type DatasetRow, type RowFilter, type RowSource, useMatchingRows, useRowsAt } from "./use-rows.ts";

const everything: RowFilter = { search: "", only: "all" };

/** The rows of the present version: to look at, to search, to edit. */
export function RowsTab({ dataset }: { readonly dataset: Dataset }) {
  const { t } = useTranslation();
  const { mayEdit } = useDatasetRights(dataset);
  const [filter, setFilter] = useState(everything);
  const [goTo, setGoTo] = useState<{ readonly index: number }>();
  const [edited, setEdited] = useState<EditedRow>();
  const source = { datasetId: dataset.id, versionNo: dataset.version_no };
  const version = useVersion(source.datasetId, source.versionNo);
  const total = version.data?.raw_count ?? 0;
  const isFiltered = filter.search !== "" || filter.only !== "all";
  const open = (row: DatasetRow): void => setEdited({ kind: "present", versionNo: source.versionNo, row });
  return (
    <Flex vertical gap={12}>
      <Flex gap={8} wrap align="center">
        <Input.Search
          allowClear
          aria-label={t("datasets.searchRows")}
          placeholder={t("datasets.searchRows")}
          maxLength={200}
          onSearch={(search) => setFilter((now) => ({ ...now, search }))}
          style={{ width: 260 }}
        />
        <Select<RowFilter["only"]>
          aria-label={t("datasets.onlyRows")}
          value={filter.only}
          style={{ width: 150 }}
          options={(["all", "valid", "invalid"] as const).map((value) => ({
            value,
            label: t(`datasets.only.${value}`),
          }))}
          onChange={(only) => setFilter((now) => ({ ...now, only }))}
        />
        {!isFiltered && (
          <InputNumber
            aria-label={t("datasets.goTo")}
            placeholder={t("datasets.goTo")}
            min={1}
            max={total}
            precision={0}
            style={{ width: 150 }}
            onChange={(row) => row !== null && setGoTo({ index: row - 1 })}
          />
        )}
        <div style={{ flex: 1 }} />
        {mayEdit && (
          <Button onClick={() => setEdited({ kind: "new", versionNo: source.versionNo, afterRow: total })}>
            {t("datasets.addRow")}
          </Button>
        )}
      </Flex>
      <ProblemNotice error={version.error} onRetry={() => void version.refetch()} />
      {isFiltered ? (
        <MatchingRows source={source} filter={filter} onOpen={open} />
      ) : (
        <AllRows source={source} total={total} goTo={goTo} onOpen={open} />
      )}
      {edited && (
        <RowEditor
          dataset={dataset}
          edited={edited}
          isEditable={mayEdit}
          onInsertAfter={(row) => setEdited({ kind: "new", versionNo: source.versionNo, afterRow: row })}
          onClose={() => setEdited(undefined)}
        />
      )}
    </Flex>
  );
}

interface ListProps {
  readonly source: RowSource;
  readonly onOpen: (row: DatasetRow) => void;
}

function AllRows({
  source,
  total,
  goTo,
  onOpen,
}: ListProps & { readonly total: number; readonly goTo: { readonly index: number } | undefined }) {
  const { t } = useTranslation();
  const [window, setWindow] = useState({ first: 0, last: 40 });
  const onWindow = useCallback((first: number, last: number) => setWindow({ first, last }), []);
  const { rowAt, error, refetch } = useRowsAt(source, window.first, window.last);
  return (
    <>
      <ProblemNotice error={error} onRetry={() => void refetch()} />
      <RowWindow
        label={t("datasets.rowsOf", { version: source.versionNo })}
        total={total}
        rowAt={rowAt}
        onWindow={onWindow}
        goTo={goTo}
        onOpen={onOpen}
      />
    </>
  );
}

function MatchingRows({ source, filter, onOpen }: ListProps & { readonly filter: RowFilter }) {
  const { t, i18n } = useTranslation();
  const { query, rows, lookedAt, total } = useMatchingRows(source, filter);
  const count = (value: number): string => formatCount(value, i18n.language);
  const isOver = !query.hasNextPage && !query.isFetching;
  return (
    <>
      <ProblemNotice error={query.error} onRetry={() => void query.refetch()} />
      <Typography.Text type="secondary" role="status">
        {isOver
          ? t("datasets.rowsFound", { found: count(rows.length) })
          : t("datasets.rowsFoundSoFar", { found: count(rows.length), looked: count(lookedAt), total: count(total) })}
      </Typography.Text>
      {rows.length === 0 && isOver && !query.error ? (
        <Empty description={t("datasets.noRowFound")} />
      ) : (
        <RowWindow
          label={t("datasets.rowsOf", { version: source.versionNo })}
          total={rows.length}
          rowAt={(index) => rows[index]}
          onOpen={onOpen}
        />
      )}
      <MoreButton query={query} />
    </>
  );
}
