/** Negative when `a` comes before `b`; for versions of drivers, toolkits and cuDNN, which are numbers and dots. */
export function compareDotted(a: string, b: string): number {
  const [x, y] = [a.split("."), b.split(".")];
  for (let index = 0; index < Math.max(x.length, y.length); index += 1) {
    const difference = Number(x[index] ?? 0) - Number(y[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Whether a driver is this release or a newer one; a driver not told to its end (`535`, `525.60`) stands for all such releases, the newest among them. */
export const driverReaches = (driver: string, least: string): boolean =>
  compareDotted(driver, least.split(".").slice(0, driver.split(".").length).join(".")) >= 0;

/** `12.4` begins `12.4` and `12.4.127`, but not `12.40`. */
export function beginsWith(version: string, start: string): boolean {
  return version === start || version.startsWith(`${start}.`);
}
