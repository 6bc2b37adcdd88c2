import { dottedCudnn } from "../knowledge/cudnn.ts";

/** cuDNN counts 8907 or 90100, CUDA 12020, and the other libraries in ways of their own. */
export function dottedNumber(library: string, number: string): string {
  const value = Number(number);
  if (library === "cudnn") return dottedCudnn(value);
  if (library === "cudart") return `${Math.floor(value / 1000)}.${Math.floor((value % 1000) / 10)}`;
  // cuBLAS counts 120103 since CUDA 12; cuFFT, cuSOLVER and cuSPARSE, and cuBLAS before, 11401. CUPTI has a number of its own.
  if (value < 1000) return number;
  const thousand = 100_000 <= value ? 10_000 : 1000;
  return `${Math.floor(value / thousand)}.${Math.floor((value % thousand) / 100)}.${value % 100}`;
}
