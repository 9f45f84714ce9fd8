import type { userSchema } from "@attune/contracts/rest/identity.ts";
import { listUsers } from "@attune/contracts/rest/identity.ts";
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { Button, Empty, Input, Table, Tag } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type * as z from "zod";
import { MoreButton } from "../../components/more-button.tsx";
import { PageTitle } from "../../components/page-title.tsx";
import { ProblemNotice } from "../../components/problem-notice.tsx";
import { ShownOnce } from "../../components/shown-once.tsx";
import { api } from "../../lib/api.ts";
import { formatTime } from "../../lib/format.ts";
import { useHasRole, useSession } from "../../lib/session.tsx";
import { AddUserDialog } from "./add-user-dialog.tsx";
import { RoleSelect } from "./role-select.tsx";
import { UserActions } from "./user-actions.tsx";

export type User = z.infer<typeof userSchema>;
export interface GivenPassword {
  readonly email: string;
  readonly password: string;
}

/** The members of the tenant, their roles, and what administrators do with them. */
export function UsersPage() {
  const { t, i18n } = useTranslation();
  const { tenant } = useSession();
  const isAdmin = useHasRole("admin");
  const [search, setSearch] = useState("");
  const [isAdding, setIsAdding] = useState(false);
  const [given, setGiven] = useState<GivenPassword>();
  const query = useInfiniteQuery({
    queryKey: ["users", tenant?.id, search],
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ pageParam, signal }) =>
      (await api.call(listUsers, { query: { cursor: pageParam, search: search || undefined }, signal })).body,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    placeholderData: keepPreviousData,
  });
  return (
    <>
      <PageTitle title={t("users.title")} hint={t("users.hint")}>
        <Input.Search
          allowClear
          aria-label={t("common.search")}
          placeholder={t("common.search")}
          onSearch={setSearch}
          style={{ width: 220 }}
        />
        {isAdmin && (
          <Button type="primary" onClick={() => setIsAdding(true)}>
            {t("users.add")}
          </Button>
        )}
      </PageTitle>
      <ProblemNotice error={query.error} onRetry={() => void query.refetch()} />
      <Table<User>
        rowKey="id"
        size="small"
        loading={query.isLoading}
        dataSource={query.data?.pages.flatMap(({ items }) => items) ?? []}
        pagination={false}
        scroll={{ x: "max-content" }}
        locale={{ emptyText: <Empty description={t("users.empty")} /> }}
        columns={[
          { title: t("users.displayName"), dataIndex: "display_name" },
          { title: t("users.email"), dataIndex: "email" },
          {
            title: t("users.role"),
            key: "role",
            render: (_, user) => <RoleSelect user={user} isEditable={isAdmin} />,
          },
          {
            title: t("users.lastSeen"),
            dataIndex: "last_seen_at",
            render: (at: string | null, { is_disabled: isDisabled }) =>
              isDisabled ? (
                <Tag>{t("users.disabled")}</Tag>
              ) : at === null ? (
                t("common.never")
              ) : (
                formatTime(at, i18n.language)
              ),
          },
          ...(isAdmin
            ? [
                {
                  title: t("common.actions"),
                  key: "actions",
                  render: (_: unknown, user: User) => <UserActions user={user} onPassword={setGiven} />,
                },
              ]
            : []),
        ]}
      />
      <MoreButton query={query} />
      <AddUserDialog isOpen={isAdding} onClose={() => setIsAdding(false)} onPassword={setGiven} />
      <ShownOnce
        title={t("users.oneTime", { email: given?.email })}
        secret={given?.password}
        onClose={() => setGiven(undefined)}
      />
    </>
  );
}
