import { listModels, type Model, type ModelKind } from "@attune/contracts/rest/models.ts";
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { Button, Empty, Input, Select, Table, Tag, Typography } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { MoreButton } from "../../components/more-button.tsx";
import { PageTitle } from "../../components/page-title.tsx";
import { ProblemNotice } from "../../components/problem-notice.tsx";
import { api } from "../../lib/api.ts";
import { formatTime } from "../../lib/format.ts";
import { useHasRole, useSession } from "../../lib/session.tsx";
import { ModelActions } from "./model-actions.tsx";
import { ModelDialog } from "./model-dialog.tsx";

/** Base models and models behind an API. */
export function ModelsPage() {
  const { t } = useTranslation();
  const isEditor = useHasRole("editor");
  const [kind, setKind] = useState<ModelKind>();
  const [search, setSearch] = useState("");
  const [edited, setEdited] = useState<Model | "new">();
  const query = useModels(kind, search);
  const isFiltered = kind !== undefined || search !== "";
  return (
    <>
      <PageTitle title={t("models.title")} hint={t("models.hint")}>
        <Input.Search
          allowClear
          aria-label={t("common.search")}
          placeholder={t("common.search")}
          onSearch={setSearch}
          style={{ width: 220 }}
        />
        <Select<ModelKind>
          allowClear
          aria-label={t("models.kind")}
          placeholder={t("models.anyKind")}
          style={{ width: 150 }}
          options={(["base", "api"] as const).map((value) => ({ value, label: t(`models.kinds.${value}`) }))}
          onChange={setKind}
        />
        {isEditor && (
          <Button type="primary" onClick={() => setEdited("new")}>
            {t("models.add")}
          </Button>
        )}
      </PageTitle>
      <ProblemNotice error={query.error} onRetry={() => void query.refetch()} />
      <ModelTable query={query} empty={t(isFiltered ? "models.emptySearch" : "models.empty")} onEdit={setEdited} />
      <MoreButton query={query} />
      <ModelDialog edited={edited} onClose={() => setEdited(undefined)} />
    </>
  );
}

function useModels(kind: ModelKind | undefined, search: string) {
  const { tenant } = useSession();
  return useInfiniteQuery({
    queryKey: ["models", tenant?.id, kind, search],
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ pageParam, signal }) =>
      (await api.call(listModels, { query: { cursor: pageParam, kind, search: search || undefined }, signal })).body,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    placeholderData: keepPreviousData,
  });
}

interface TableProps {
  readonly query: ReturnType<typeof useModels>;
  readonly empty: string;
  readonly onEdit: (model: Model) => void;
}

function ModelTable({ query, empty, onEdit }: TableProps) {
  const { t, i18n } = useTranslation();
  return (
    <Table<Model>
      rowKey="id"
      size="small"
      loading={query.isLoading}
      dataSource={query.data?.pages.flatMap(({ items }) => items) ?? []}
      pagination={false}
      scroll={{ x: "max-content" }}
      locale={{ emptyText: <Empty description={empty} /> }}
      columns={[
        {
          title: t("common.name"),
          key: "name",
          render: (_, { name, description, is_private: isPrivate }) => (
            <>
              {name} {isPrivate && <Tag>{t("models.private")}</Tag>}
              {description !== "" && (
                <Typography.Paragraph
                  type="secondary"
                  ellipsis={{ rows: 1, tooltip: description }}
                  style={{ margin: 0, maxWidth: 320 }}
                >
                  {description}
                </Typography.Paragraph>
              )}
            </>
          ),
        },
        { title: t("models.kind"), dataIndex: "kind", render: (kind: ModelKind) => t(`models.kinds.${kind}`) },
        { title: t("models.where"), key: "where", render: (_, model) => <Whereabouts model={model} /> },
        {
          title: t("models.canTrain"),
          dataIndex: "can_train",
          render: (canTrain: boolean) => (
            <Tag color={canTrain ? "success" : "default"}>{t(canTrain ? "models.yes" : "models.no")}</Tag>
          ),
        },
        { title: t("common.created"), dataIndex: "created_at", render: (at: string) => formatTime(at, i18n.language) },
        {
          title: t("common.actions"),
          key: "actions",
          render: (_, model) => <ModelActions model={model} onEdit={() => onEdit(model)} />,
        },
      ]}
    />
  );
}

function Whereabouts({ model }: { readonly model: Model }) {
  if (model.kind === "base") return <code>{model.path ?? "—"}</code>;
  return (
    <>
      <code>{model.api_model}</code>
      <br />
      <Typography.Text type="secondary">{model.api_url}</Typography.Text>
    </>
  );
}
