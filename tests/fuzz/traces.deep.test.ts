// The same attack, many times over.
import process from "node:process";

process.env["FUZZ_TIMES"] ??= "4";
await import("./traces.test.ts");
