/**
 * Every file type the service knows, one line each. The order does not matter: the bytes decide, then the name.
 */
export { text } from "./readers/text/format.ts";
