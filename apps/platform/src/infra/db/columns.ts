import { customType, timestamp, uuid } from "drizzle-orm/pg-core";

/** Bytes, as they are. */
export const bytea = customType<{ data: Buffer; driverData: Buffer }>({ dataType: () => "bytea" });

/** Ids are UUIDs of version 7, made by the program, so that they grow with time. */
export const idColumn = () => uuid("id").primaryKey();

/** A moment in milliseconds, as JavaScript's Date holds it. */
export const moment = (name: string) => timestamp(name, { withTimezone: true, precision: 3, mode: "date" });
