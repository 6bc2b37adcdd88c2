// The same attack, many times over.
import process from "node:process";

process.env["FUZZ_TIMES"] ??= "7";
await import("./declarations.test.ts");
