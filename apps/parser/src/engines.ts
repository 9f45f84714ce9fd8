/** Every parser engine, one line each; each engine says itself where it stands in the order of preference. */
export { builtin } from "./engines/builtin/engine.ts";
