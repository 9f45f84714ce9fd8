import { listOperations, type operationSchema } from "@attune/contracts/rest/operation-logs.ts";
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { Empty, Input, Select, Table, Tag, Typography } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type * as z from "zod";
import { MoreButton } from "../../components/more-button.tsx";
import { PageTitle } from "../../components/page-title.tsx";
import { ProblemNotice } from "../../components/problem-notice.tsx";
import { api } from "../../lib/api.ts";
import { formatTime } from "../../lib/format.ts";
import { useSession } from "../../lib/session.tsx";

type Operation = z.infer<typeof operationSchema>;
type Outcome = Operation["outcome"];

const colours: Readonly<Record<Outcome, string>> = { succeeded: "success", refused: "warning", failed: "error" };
const outcomes: readonly Outcome[] = ["succeeded", "refused", "failed"];

/** What was done in the tenant, the latest first. */
export function OperationsPage() {
  const { t, i18n } = useTranslation();
  const { tenant } = useSession();
  const [outcome, setOutcome] = useState<Outcome>();
  const [action, setAction] = useState("");
  const query = useInfiniteQuery({
    queryKey: ["operations", tenant?.id, outcome, action],
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ pageParam, signal }) => {
      const filters = { cursor: pageParam, outcome, action: action.trim() || undefined };
      return (await api.call(listOperations, { query: filters, signal })).body;
    },
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    placeholderData: keepPreviousData,
  });
  return (
    <>
      <PageTitle title={t("operations.title")} hint={t("operations.hint")}>
        <Input.Search
          allowClear
          aria-label={t("operations.action")}
          placeholder={t("operations.action")}
          onSearch={setAction}
          style={{ width: 200 }}
        />
        <Select<Outcome>
          allowClear
          aria-label={t("operations.outcome")}
          placeholder={t("operations.anyOutcome")}
          style={{ width: 150 }}
          options={outcomes.map((value) => ({ value, label: t(`operations.outcomes.${value}`) }))}
          onChange={setOutcome}
        />
      </PageTitle>
      <ProblemNotice error={query.error} onRetry={() => void query.refetch()} />
      <Table<Operation>
        rowKey="seq"
        size="small"
        loading={query.isLoading}
        dataSource={query.data?.pages.flatMap(({ items }) => items) ?? []}
        pagination={false}
        scroll={{ x: "max-content" }}
        locale={{ emptyText: <Empty description={t("operations.empty")} /> }}
        expandable={{ expandedRowRender: (operation) => <OperationDetails operation={operation} /> }}
        columns={[
          { title: "#", dataIndex: "seq", align: "right" },
          { title: t("operations.at"), dataIndex: "at", render: (at: string) => formatTime(at, i18n.language) },
          { title: t("operations.actor"), dataIndex: "actor" },
          { title: t("operations.action"), dataIndex: "action", render: (id: string) => <code>{id}</code> },
          {
            title: t("operations.on"),
            key: "on",
            render: (_, { resource_kind: kind, resource_id: id }) => kind && `${kind} ${id?.slice(-12) ?? ""}`,
          },
          {
            title: t("operations.outcome"),
            dataIndex: "outcome",
            render: (value: Outcome, { reason }) => (
              <>
                <Tag color={colours[value]}>{t(`operations.outcomes.${value}`)}</Tag>
                {reason !== null && <div style={{ fontSize: 12 }}>{reason}</div>}
              </>
            ),
          },
          { title: t("operations.from"), dataIndex: "ip" },
        ]}
      />
      <MoreButton query={query} />
    </>
  );
}

function OperationDetails({ operation }: { readonly operation: Operation }) {
  const { details, request_id: requestId, resource_id: resourceId, hash } = operation;
  return (
    <Typography.Paragraph style={{ margin: 0 }}>
      <pre style={{ margin: 0, whiteSpace: "pre-wrap", overflowWrap: "anywhere" }}>
        {JSON.stringify({ resource_id: resourceId, ...details, request_id: requestId, hash }, null, 2)}
      </pre>
    </Typography.Paragraph>
  );
}
