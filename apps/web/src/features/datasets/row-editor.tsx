import type { Dataset } from "@attune/contracts/rest/dataset-schemas.ts";
import { useBlocker } from "@tanstack/react-router";
import { App, Button, Drawer, Flex, Input, Popconfirm, Typography } from "antd";
import type { TFunction } from "i18next";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { ProblemNotice } from "../../components/problem-notice.tsx";
import { isProblem } from "../../lib/api.ts";
import { compactJson, indentJson, rowFault } from "../../lib/json-text.ts";
import { RowConflict } from "./row-conflict.tsx";
import { type RowEdit, useSaveRows } from "./use-save-rows.ts";
import type { DatasetRow } from "./use-rows.ts";

export type EditedRow =
  | { readonly kind: "present"; readonly versionNo: number; readonly row: DatasetRow }
  | { readonly kind: "new"; readonly versionNo: number; readonly afterRow: number };

interface Props {
  readonly dataset: Dataset;
  readonly edited: EditedRow;
  readonly isEditable: boolean;
  readonly onInsertAfter: (row: number) => void;
  readonly onClose: () => void;
}

/** One row as JSON, to be changed, deleted or added. What is typed stays until it is saved or dropped. */
export function RowEditor({ dataset, edited, isEditable, onInsertAfter, onClose }: Props) {
  const { t } = useTranslation();
  const { modal } = App.useApp();
  const { key, original, title, row } = describe(edited, t);
  const [typed, setTyped] = useState({ key, text: original });
  // Another row was opened in the same drawer.
  if (typed.key !== key) setTyped({ key, text: original });
  const save = useSaveRows(dataset, onClose);
  const fault = rowFault(typed.text);
  const isChanged = typed.text !== original;
  const versionNo = edited.versionNo;
  const send = (edit: RowEdit): void => save.mutate({ versionNo, edits: [edit] });
  const confirmDrop = async (): Promise<boolean> =>
    modal.confirm({
      title: t("datasets.discardConfirm"),
      okText: t("datasets.takeTheirs"),
      cancelText: t("common.cancel"),
    });
  useBlocker({
    shouldBlockFn: async () => !(await confirmDrop()),
    enableBeforeUnload: true,
    disabled: !isChanged,
  });
  const close = async (): Promise<void> => {
    if (!isChanged || save.isPending || (await confirmDrop())) onClose();
  };
  const hasConflict = isProblem(save.error, "VERSION_CONFLICT");
  return (
    <Drawer
      open
      size={640}
      title={title}
      onClose={() => void close()}
      footer={
        isEditable && (
          <Flex gap={8} justify="end">
            {row && (
              <RowButtons
                row={row}
                isPending={save.isPending}
                onInsertAfter={isChanged ? undefined : () => onInsertAfter(row.row)}
                onDelete={() => send({ op: "delete", row: row.row })}
              />
            )}
            <div style={{ flex: 1 }} />
            <Button onClick={() => void close()}>{t("common.cancel")}</Button>
            <Button
              type="primary"
              loading={save.isPending}
              disabled={!isChanged || fault !== undefined || hasConflict}
              onClick={() => send(editOf(edited, compactJson(typed.text)))}
            >
              {t("common.save")}
            </Button>
          </Flex>
        )
      }
    >
      <Flex vertical gap={12}>
        {hasConflict && save.variables ? (
          <RowConflict
            dataset={dataset}
            baseNo={save.variables.versionNo}
            edit={save.variables.edits[0]}
            isSaving={save.isPending}
            onApply={(nextNo, edit) => save.mutate({ versionNo: nextNo, edits: [edit] })}
            onDrop={onClose}
            typed={compactJson(typed.text)}
          />
        ) : (
          <ProblemNotice error={save.error} />
        )}
        <RowText
          text={typed.text}
          fault={isChanged ? fault : undefined}
          isEditable={isEditable}
          onChange={(text) => setTyped({ key, text })}
        />
        {row && row.findings.length > 0 && <RowFindings row={row} />}
      </Flex>
    </Drawer>
  );
}

function describe(edited: EditedRow, t: TFunction) {
  if (edited.kind === "new") {
    const { afterRow: row } = edited;
    return { key: `new ${row}`, original: "{\n  \n}", title: t("datasets.newRowTitle", { row }), row: undefined };
  }
  const { versionNo: version, row } = edited;
  const title = t("datasets.rowTitle", { row: row.row, version });
  return { key: `${version}/${row.row}`, original: indentJson(row.text), title, row };
}

interface RowButtonsProps {
  readonly row: DatasetRow;
  readonly isPending: boolean;
  readonly onInsertAfter: (() => void) | undefined;
  readonly onDelete: () => void;
}

function RowButtons({ row, isPending, onInsertAfter, onDelete }: RowButtonsProps) {
  const { t } = useTranslation();
  return (
    <>
      <Popconfirm title={t("datasets.deleteRowConfirm", { row: row.row })} onConfirm={onDelete}>
        <Button danger disabled={isPending}>
          {t("datasets.deleteRow")}
        </Button>
      </Popconfirm>
      {onInsertAfter && <Button onClick={onInsertAfter}>{t("datasets.insertAfter")}</Button>}
    </>
  );
}

interface RowTextProps {
  readonly text: string;
  readonly fault: ReturnType<typeof rowFault>;
  readonly isEditable: boolean;
  readonly onChange: (text: string) => void;
}

function RowText({ text, fault, isEditable, onChange }: RowTextProps) {
  const { t } = useTranslation();
  return (
    <>
      <Input.TextArea
        aria-label={t("datasets.rowText")}
        value={text}
        readOnly={!isEditable}
        spellCheck={false}
        autoSize={{ minRows: 10, maxRows: 30 }}
        status={fault === undefined ? "" : "error"}
        style={{ fontFamily: "ui-monospace, SFMono-Regular, Menlo, Consolas, monospace", fontSize: 13 }}
        onChange={({ target }) => onChange(target.value)}
      />
      {fault !== undefined && (
        <Typography.Text type="danger" role="alert">
          {fault === "notAnObject" ? t("datasets.notAnObject") : t("datasets.notJson", fault)}
        </Typography.Text>
      )}
    </>
  );
}

const editOf = (edited: EditedRow, text: string): RowEdit =>
  edited.kind === "new"
    ? { op: "insert_after", row: edited.afterRow, text }
    : { op: "replace", row: edited.row.row, text };

function RowFindings({ row }: { readonly row: DatasetRow }) {
  const { t } = useTranslation();
  return (
    <section>
      <Typography.Title level={3} style={{ fontSize: 14 }}>
        {t("datasets.findings")}
      </Typography.Title>
      <ul style={{ margin: 0, paddingInlineStart: 20 }}>
        {row.findings.map(({ code, severity, message, remedy, pointer }) => (
          <li key={code + pointer}>
            {t(`datasets.severities.${severity}`)}: {message} {pointer !== "" && <code>{pointer}</code>} {remedy}
          </li>
        ))}
      </ul>
    </section>
  );
}
