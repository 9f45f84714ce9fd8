import { type grantAccess, grantedActions } from "@attune/contracts/rest/acls.ts";
import type { BodyInputOf } from "@attune/contracts/rest/define-route.ts";
import { type TenantRole, tenantRoles } from "@attune/contracts/rest/roles.ts";
import { Button, Flex, Form, Select } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useSession } from "../lib/session.tsx";
import { usePeople } from "../lib/use-people.ts";

export type Grant = BodyInputOf<typeof grantAccess>;

interface Fields {
  readonly kind: Grant["grantee_kind"];
  readonly user?: string;
  readonly role?: TenantRole;
  readonly action: Grant["action"];
}

interface Props {
  readonly isPending: boolean;
  readonly onGrant: (grant: Grant) => void;
}

/** One line that says to whom which right is given. */
export function ShareForm({ isPending, onGrant }: Props) {
  const { t } = useTranslation();
  const { tenant } = useSession();
  const [form] = Form.useForm<Fields>();
  const kind = Form.useWatch("kind", form) ?? "user";
  const rules = [{ required: true, message: t("common.required") }];
  return (
    <Form<Fields>
      form={form}
      // Its fields' ids begin with it, apart from those of a form on the page behind.
      name="share"
      layout="vertical"
      requiredMark={false}
      initialValues={{ kind: "user", action: "read" }}
      onFinish={({ kind: granteeKind, user, role, action }) => {
        if (granteeKind === "user" && user) onGrant({ grantee_kind: "user", grantee: user, action });
        if (granteeKind === "role" && role) onGrant({ grantee_kind: "role", grantee: role, action });
        if (granteeKind === "tenant" && tenant) onGrant({ grantee_kind: "tenant", grantee: tenant.id, action });
      }}
    >
      <Flex gap={8} wrap align="end">
        <Form.Item name="kind" label={t("share.who")} style={{ width: 170 }}>
          <Select
            options={(["user", "role", "tenant"] as const).map((value) => ({
              value,
              label: t(`share.kinds.${value}`),
            }))}
          />
        </Form.Item>
        {kind === "user" && <PersonField />}
        {kind === "role" && (
          <Form.Item name="role" label={t("users.role")} rules={rules} style={{ flex: 1, minWidth: 140 }}>
            <Select options={tenantRoles.map((value) => ({ value, label: t(`users.roleNames.${value}`) }))} />
          </Form.Item>
        )}
        <Form.Item name="action" label={t("share.what")} style={{ width: 120 }}>
          <Select options={grantedActions.map((value) => ({ value, label: t(`share.actions.${value}`) }))} />
        </Form.Item>
        <Form.Item>
          <Button type="primary" htmlType="submit" loading={isPending}>
            {t("share.grant")}
          </Button>
        </Form.Item>
      </Flex>
    </Form>
  );
}

function PersonField() {
  const { t } = useTranslation();
  const [search, setSearch] = useState("");
  const people = usePeople(search);
  return (
    <Form.Item
      name="user"
      label={t("share.kinds.user")}
      rules={[{ required: true, message: t("common.required") }]}
      style={{ flex: 1, minWidth: 180 }}
    >
      <Select
        showSearch={{ filterOption: false, onSearch: setSearch }}
        placeholder={t("share.findPerson")}
        options={people.map(({ id, name, email }) => ({ value: id, label: `${name} (${email})` }))}
      />
    </Form.Item>
  );
}
