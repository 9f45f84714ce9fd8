import { Button, Input } from "antd";
import { lazy, Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { PageTitle } from "../../components/page-title.tsx";
import { useHasRole } from "../../lib/session.tsx";
import { DatasetTable } from "./dataset-table.tsx";
import { TrashTable } from "./trash-table.tsx";

// Most visits upload nothing, and the dialog is heavier than the list.
const UploadDialog = lazy(async () => ({ default: (await import("./upload-dialog.tsx")).UploadDialog }));

/** The datasets that one may know of, and the trash. */
export function DatasetsPage() {
  const { t } = useTranslation();
  const isEditor = useHasRole("editor");
  const [search, setSearch] = useState("");
  const [isTrash, setIsTrash] = useState(false);
  const [isAdding, setIsAdding] = useState(false);
  return (
    <>
      <PageTitle title={t("datasets.title")} hint={t("datasets.hint")}>
        <Input.Search
          allowClear
          aria-label={t("common.search")}
          placeholder={t("common.search")}
          onSearch={(typed) => setSearch(typed.trim())}
          disabled={isTrash}
          style={{ width: 220 }}
        />
        <Button aria-pressed={isTrash} onClick={() => setIsTrash(!isTrash)}>
          {t(isTrash ? "datasets.list" : "datasets.trash")}
        </Button>
        {isEditor && (
          <Button type="primary" onClick={() => setIsAdding(true)}>
            {t("datasets.add")}
          </Button>
        )}
      </PageTitle>
      {isTrash ? (
        <TrashTable />
      ) : (
        <DatasetTable search={search} onAdd={isEditor ? () => setIsAdding(true) : undefined} />
      )}
      <Suspense>{isAdding && <UploadDialog dataset={undefined} onClose={() => setIsAdding(false)} />}</Suspense>
    </>
  );
}
