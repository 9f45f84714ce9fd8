import {
  ApiOutlined,
  AuditOutlined,
  DashboardOutlined,
  DatabaseOutlined,
  DeploymentUnitOutlined,
  SyncOutlined,
  TeamOutlined,
} from "@ant-design/icons";
import type { TenantRole } from "@attune/contracts/rest/roles.ts";
import { lazy, type ReactNode } from "react";
import { loadDatasetPage, loadDatasetsPage } from "../features/datasets/index.ts";

export type NavGroup = "data" | "people" | "platform";

export interface PageEntry {
  readonly path: string;
  /** Key of its name below `nav` in the texts. */
  readonly name: "datasets" | "models" | "users" | "tokens" | "jobs" | "operations" | "system";
  readonly group: NavGroup;
  readonly icon: ReactNode;
  /** The least role that finds something on it. */
  readonly role: TenantRole;
  /** Whether the operator of the platform finds something on it whatever the role in the tenant. */
  readonly isForOperator?: boolean;
  readonly component: () => ReactNode;
}

// The router takes plain functions only, and a lazy component is none.
function page(load: Parameters<typeof lazy>[0]): () => ReactNode {
  const Component = lazy(load);
  return () => <Component />;
}

/** The pages of the left rail, in its order. Each is loaded when it is first opened. */
export const pages: readonly PageEntry[] = [
  {
    path: "/datasets",
    name: "datasets",
    group: "data",
    icon: <DatabaseOutlined />,
    role: "viewer",
    component: page(loadDatasetsPage),
  },
  {
    path: "/models",
    name: "models",
    group: "data",
    icon: <DeploymentUnitOutlined />,
    role: "viewer",
    component: page(async () => ({ default: (await import("../features/models/index.ts")).ModelsPage })),
  },
  {
    path: "/users",
    name: "users",
    group: "people",
    icon: <TeamOutlined />,
    role: "editor",
    component: page(async () => ({ default: (await import("../features/users/index.ts")).UsersPage })),
  },
  {
    path: "/tokens",
    name: "tokens",
    group: "people",
    icon: <ApiOutlined />,
    role: "viewer",
    component: page(async () => ({ default: (await import("../features/tokens/index.ts")).TokensPage })),
  },
  {
    path: "/jobs",
    name: "jobs",
    group: "people",
    icon: <SyncOutlined />,
    role: "viewer",
    component: page(async () => ({ default: (await import("../features/jobs/index.ts")).JobsPage })),
  },
  {
    path: "/operations",
    name: "operations",
    group: "people",
    icon: <AuditOutlined />,
    role: "admin",
    component: page(async () => ({ default: (await import("../features/operations/index.ts")).OperationsPage })),
  },
  {
    path: "/system",
    name: "system",
    group: "platform",
    icon: <DashboardOutlined />,
    role: "admin",
    isForOperator: true,
    component: page(async () => ({ default: (await import("../features/system/index.ts")).SystemPage })),
  },
];

/** Pages that others lead to. */
export const detailPages: readonly Pick<PageEntry, "path" | "component">[] = [
  {
    path: "/datasets/$datasetId/{-$tab}",
    component: page(loadDatasetPage),
  },
];
