import { changeRole } from "@attune/contracts/rest/identity.ts";
import { type TenantRole, tenantRoles } from "@attune/contracts/rest/roles.ts";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { App, Select } from "antd";
import { useTranslation } from "react-i18next";
import { ProblemNotice } from "../../components/problem-notice.tsx";
import { api } from "../../lib/api.ts";
import { useSession } from "../../lib/session.tsx";
import type { User } from "./users-page.tsx";

interface Props {
  readonly user: User;
  readonly isEditable: boolean;
}

/** A member's role; changed on the spot by those who may. */
export function RoleSelect({ user, isEditable }: Props) {
  const { t } = useTranslation();
  const { modal } = App.useApp();
  const { tenant } = useSession();
  const client = useQueryClient();
  const mutation = useMutation({
    mutationFn: (role: TenantRole) =>
      api.call(changeRole, { params: { user_id: user.id }, body: { role }, ifMatch: `"${user.version}"` }),
    onError: (error) =>
      void modal.warning({ title: t("users.role"), content: <ProblemNotice error={error} />, width: 560 }),
    onSettled: () => client.invalidateQueries({ queryKey: ["users"] }),
  });
  const mayChange = isEditable && (user.role !== "owner" || tenant?.role === "owner");
  if (!mayChange) return t(`users.roleNames.${user.role}`);
  const offered = tenantRoles.filter((role) => role !== "owner" || tenant?.role === "owner");
  return (
    <Select<TenantRole>
      size="small"
      aria-label={`${t("users.role")}: ${user.email}`}
      value={user.role}
      loading={mutation.isPending}
      disabled={mutation.isPending}
      style={{ width: 130 }}
      popupMatchSelectWidth={false}
      options={offered.map((role) => ({
        value: role,
        label: t(`users.roleNames.${role}`),
        title: t(`users.roles.${role}`),
      }))}
      onChange={(role) => mutation.mutate(role)}
    />
  );
}
