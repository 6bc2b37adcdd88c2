// The same attack, many times over.
import process from "node:process";

process.env["FUZZ_TIMES"] ??= "12";
await import("./images.test.ts");
