// The same attack, many times over.
import process from "node:process";

process.env["FUZZ_TIMES"] ??= "10";
await import("./logs.test.ts");
