import { diffDatasetVersions, getDataset } from "@attune/contracts/rest/datasets.ts";
import type { Dataset } from "@attune/contracts/rest/dataset-schemas.ts";
import { useQuery } from "@tanstack/react-query";
import { Alert, Button, Flex, Skeleton } from "antd";
import { useTranslation } from "react-i18next";
import { ProblemNotice } from "../../components/problem-notice.tsx";
import { api } from "../../lib/api.ts";
import { indentJson } from "../../lib/json-text.ts";
import { locateRow, type RowChange } from "./locate-row.ts";
import { readRow } from "./use-rows.ts";
import type { RowEdit } from "./use-save-rows.ts";

interface Props {
  readonly dataset: Dataset;
  readonly baseNo: number;
  /** The edit that was refused. */
  readonly edit: RowEdit | undefined;
  readonly typed: string;
  readonly isSaving: boolean;
  readonly onApply: (versionNo: number, edit: RowEdit) => void;
  readonly onDrop: () => void;
}

/** Somebody else saved first: their row, and the choice to save mine on top of it. */
export function RowConflict({ dataset, baseNo, edit, typed, isSaving, onApply, onDrop }: Props) {
  const row = edit?.row ?? 0;
  const query = useQuery({
    queryKey: ["conflict", dataset.id, baseNo, row],
    staleTime: 0,
    gcTime: 0,
    queryFn: () => findTheirs(dataset.id, baseNo, row),
  });
  if (query.error) return <ProblemNotice error={query.error} onRetry={() => void query.refetch()} />;
  if (query.data === undefined || edit === undefined) return <Skeleton active paragraph={{ rows: 2 }} />;
  return <Choice theirs={query.data} {...{ edit, typed, isSaving, onApply, onDrop }} />;
}

type Theirs = Awaited<ReturnType<typeof findTheirs>>;

interface ChoiceProps extends Omit<Props, "dataset" | "baseNo" | "edit"> {
  readonly edit: RowEdit;
  readonly theirs: Theirs;
}

function Choice({ edit, theirs, typed, isSaving, onApply, onDrop }: ChoiceProps) {
  const { t } = useTranslation();
  const { versionNo, fate, theirText } = theirs;
  const applied = onTopOf(theirs, edit, typed);
  return (
    <Alert
      type="warning"
      showIcon
      role="alert"
      title={t("datasets.conflictTitle", { version: versionNo })}
      description={
        <Flex vertical gap={8}>
          <span>{t(`datasets.conflict${fate}`)}</span>
          {fate === "Changed" && theirText !== undefined && (
            <pre className="row-json" aria-label={t("datasets.theirs")} tabIndex={0}>
              {indentJson(theirText)}
            </pre>
          )}
          <Flex gap={8} wrap>
            {applied && (
              <Button type="primary" loading={isSaving} onClick={() => onApply(versionNo, applied)}>
                {fate === "Gone" ? t("datasets.addAsNew") : t("datasets.applyOn", { version: versionNo })}
              </Button>
            )}
            <Button onClick={onDrop}>{t("datasets.takeTheirs")}</Button>
          </Flex>
        </Flex>
      }
    />
  );
}

/** The same edit on the later version; undefined where nothing is left to be done. */
function onTopOf({ theirRow, rowCount }: Theirs, edit: RowEdit, text: string): RowEdit | undefined {
  if (theirRow !== undefined)
    return edit.op === "delete" ? { op: "delete", row: theirRow } : { op: edit.op, row: theirRow, text };
  return edit.op === "delete" ? undefined : { op: "insert_after", row: rowCount, text };
}

/** What became of a row since the version that it was edited in. */
async function findTheirs(datasetId: string, baseNo: number, row: number) {
  const { version_no: versionNo } = (await api.call(getDataset, { params: { dataset_id: datasetId } })).body;
  const { changes, rowCount } = await listChanges(datasetId, baseNo, versionNo);
  const theirRow = row === 0 ? 0 : locateRow(changes, row);
  const theirText = theirRow ? await readRow({ datasetId, versionNo }, theirRow) : undefined;
  const isChanged = changes.some(({ kind, from_row: from }) => from === row && kind === "changed");
  const fate = theirRow === undefined ? ("Gone" as const) : isChanged ? ("Changed" as const) : ("Same" as const);
  return { versionNo, theirRow, theirText, fate, rowCount };
}

async function listChanges(datasetId: string, from: number, to: number) {
  const changes: RowChange[] = [];
  for (let offset = 0; ;) {
    const query = { from, to, offset, limit: 200 };
    const { body } = await api.call(diffDatasetVersions, { params: { dataset_id: datasetId }, query });
    changes.push(...body.items);
    const rowCount = body.unchanged + body.added + body.changed + body.moved;
    if (body.next_offset === null) return { changes, rowCount };
    offset = body.next_offset;
  }
}
