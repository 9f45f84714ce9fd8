import { type apiTokenSchema, listApiTokens, revokeApiToken } from "@attune/contracts/rest/identity.ts";
import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import { App, Button, Empty, Popconfirm, Table } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type * as z from "zod";
import { MoreButton } from "../../components/more-button.tsx";
import { PageTitle } from "../../components/page-title.tsx";
import { ProblemNotice } from "../../components/problem-notice.tsx";
import { ShownOnce } from "../../components/shown-once.tsx";
import { api } from "../../lib/api.ts";
import { formatTime } from "../../lib/format.ts";
import { useSession } from "../../lib/session.tsx";
import { AddTokenDialog, type MadeToken } from "./add-token-dialog.tsx";

type Token = z.infer<typeof apiTokenSchema>;

/** API tokens: the user's own, and for administrators those of all members. */
export function TokensPage() {
  const { t, i18n } = useTranslation();
  const { tenant } = useSession();
  const [isAdding, setIsAdding] = useState(false);
  const [made, setMade] = useState<MadeToken>();
  const query = useInfiniteQuery({
    queryKey: ["api-tokens", tenant?.id],
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ pageParam, signal }) =>
      (await api.call(listApiTokens, { query: { cursor: pageParam }, signal })).body,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
  });
  const time = (at: string | null): string => (at === null ? t("common.never") : formatTime(at, i18n.language));
  return (
    <>
      <PageTitle title={t("tokens.title")} hint={t("tokens.hint")}>
        <Button type="primary" onClick={() => setIsAdding(true)}>
          {t("tokens.add")}
        </Button>
      </PageTitle>
      <ProblemNotice error={query.error} onRetry={() => void query.refetch()} />
      <Table<Token>
        rowKey="id"
        size="small"
        loading={query.isLoading}
        dataSource={query.data?.pages.flatMap(({ items }) => items) ?? []}
        pagination={false}
        scroll={{ x: "max-content" }}
        locale={{ emptyText: <Empty description={t("tokens.empty")} /> }}
        columns={[
          { title: t("common.name"), dataIndex: "name" },
          { title: t("tokens.prefix"), dataIndex: "prefix", render: (prefix: string) => <code>{prefix}…</code> },
          {
            title: t("tokens.scopes"),
            dataIndex: "scopes",
            render: (scopes: Token["scopes"]) => scopes.map((scope) => t(`tokens.scopeNames.${scope}`)).join(", "),
          },
          { title: t("tokens.lastUsed"), dataIndex: "last_used_at", render: time },
          { title: t("tokens.expires"), dataIndex: "expires_at", render: time },
          { title: t("common.actions"), key: "actions", render: (_, token) => <RevokeButton token={token} /> },
        ]}
      />
      <MoreButton query={query} />
      <AddTokenDialog isOpen={isAdding} onClose={() => setIsAdding(false)} onMade={setMade} />
      <ShownOnce
        title={t("tokens.made", { name: made?.name })}
        secret={made?.token}
        onClose={() => setMade(undefined)}
      />
    </>
  );
}

function RevokeButton({ token }: { readonly token: Token }) {
  const { t } = useTranslation();
  const { modal } = App.useApp();
  const client = useQueryClient();
  const mutation = useMutation({
    mutationFn: () => api.call(revokeApiToken, { params: { token_id: token.id } }),
    onError: (error) => void modal.warning({ title: token.name, content: <ProblemNotice error={error} />, width: 560 }),
    onSettled: () => client.invalidateQueries({ queryKey: ["api-tokens"] }),
  });
  return (
    <Popconfirm title={t("tokens.revokeConfirm", { name: token.name })} onConfirm={() => mutation.mutate()}>
      <Button size="small" type="link" danger loading={mutation.isPending}>
        {t("tokens.revoke")}
      </Button>
    </Popconfirm>
  );
}
