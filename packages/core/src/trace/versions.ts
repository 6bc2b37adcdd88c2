// https://docs.nvidia.com/cupti/api/group__CUPTI__VERSION__API.html; 18 is what libraries of 11.8 up to 12.1 report (kineto#996, HTA#146).
const toolkits: { [api: number]: string } = {
  12: "10.0 to 10.2",
  13: "11.0",
  14: "11.1",
  15: "11.2 to 11.4",
  16: "11.5",
  17: "11.6",
  18: "11.8 to 12.1",
  19: "12.0 to 12.1",
  20: "12.2",
  21: "12.3",
  22: "12.4",
  23: "12.5",
  24: "12.6",
  26: "12.8",
  27: "12.9",
  28: "12.9",
};

/** The CUDA toolkit whose CUPTI reports this API number; from 13.0 on the number itself says it (130001). */
export function cuptiToolkit(api: number): string | undefined {
  if (130_000 <= api) return `${Math.floor(api / 10_000)}.${Math.floor(api / 100) % 100}`;
  return toolkits[api];
}

/** 12090 is 12.9. */
export function dottedCuda(number: number): string | undefined {
  if (!Number.isInteger(number) || number < 1000) return undefined;
  return `${Math.floor(number / 1000)}.${Math.floor((number % 1000) / 10)}`;
}

/** 60443483 is 6.4 (HIP_VERSION: major, two digits of minor, five of patch). */
export function dottedHip(number: number): string | undefined {
  if (!Number.isInteger(number) || number < 10_000_000) return undefined;
  return `${Math.floor(number / 10_000_000)}.${Math.floor(number / 100_000) % 100}`;
}
