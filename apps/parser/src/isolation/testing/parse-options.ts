import { readOverrides } from "../../overrides/read-overrides.ts";

/** The options of a request without overrides, for tests and measurements. */
export const plainOptions = readOverrides({}, new Map()).options;
