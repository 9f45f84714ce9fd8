import { rulesToAST } from "@casl/ability/extra";
import { AppError } from "@attune/service-kit/app-error.ts";
import { and, eq, inArray, not, or, type SQL, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import type { Ability, Protected, Request } from "./ability.ts";

/** The columns that hold what rights depend on. */
export type ProtectedColumns = Readonly<Record<keyof Protected, PgColumn>>;

/** A node of the tree of conditions that CASL makes of its rules. */
interface Condition {
  readonly operator: string;
  readonly field?: string;
  readonly value: unknown;
}

/** The rights of a principal as a condition of SQL: a list holds what could be read one by one, and nothing else. */
export function whereAllowed(ability: Ability, { action, resource }: Request, columns: ProtectedColumns): SQL {
  const tree = rulesToAST(ability, action, resource) as Condition | null;
  return tree === null ? sql`false` : toSql(tree, columns);
}

function toSql({ operator, field, value }: Condition, columns: ProtectedColumns): SQL {
  const parts = (): SQL[] => (value as Condition[]).map((part) => toSql(part, columns));
  if (operator === "and") return and(...parts()) ?? sql`true`;
  if (operator === "or") return or(...parts()) ?? sql`false`;
  if (operator === "not") return not(and(...parts()) ?? sql`true`);
  const column = columns[field as keyof Protected];
  if (operator === "eq") return eq(column, value);
  if (operator === "in") return inArray(column, value as unknown[]);
  throw new AppError("INTERNAL", {}, new Error(`There is no SQL for the condition ${operator}.`));
}
