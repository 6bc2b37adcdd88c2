/** Whether somebody who asks about a driver has named one: `535.104.05`, `580`. Releases of CUDA have one or two digits before the dot, drivers three. */
export const isDriverVersion = (text: string): boolean => /^[1-9]\d{2,5}(?:\.\d{1,6}){0,4}$/.test(text);

/** What is wrong with what was named as a driver. */
export const notADriver = (text: string): string =>
  /^\d{1,2}(?:\.\d{1,3}){0,2}$/.test(text)
    ? "is a release of CUDA, not of a driver: `nvidia-smi` shows both (535.104.05)"
    : "is not the version of a driver, such as 535.104.05";
