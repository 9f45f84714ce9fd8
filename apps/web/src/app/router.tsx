import { createRootRoute, createRoute, createRouter, redirect } from "@tanstack/react-router";
import { Shell } from "./shell.tsx";
import { NotFound } from "./not-found.tsx";
import { detailPages, pages } from "./pages.tsx";

const rootRoute = createRootRoute({ component: Shell, notFoundComponent: NotFound });
const indexRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/",
  beforeLoad: () => {
    throw redirect({ to: pages[0]?.path ?? "/" });
  },
});
const pageRoutes = [...pages, ...detailPages].map(({ path, component }) =>
  createRoute({ getParentRoute: () => rootRoute, path, component }),
);

export const router = createRouter({ routeTree: rootRoute.addChildren([indexRoute, ...pageRoutes]) });
