export { abilitiesOn } from "./abilities-on.ts";
export { isAllowed, type Protected, requireAllowed } from "./ability.ts";
export { bindAccessRoutes } from "./routes.ts";
export { abilityOf, authorise, removeGrants, removeGrantsTo } from "./service.ts";
export { whereAllowed } from "./where-allowed.ts";
