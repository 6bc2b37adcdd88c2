/** Microseconds in the unit that one reads best; six digits for a place in time, three are enough for a sum. */
export function timeText(microseconds: number, digits = 6): string {
  const size = Math.abs(microseconds);
  const round = (value: number) => String(Number(value.toPrecision(digits)));
  if (size < 1e-9) return "0";
  if (size < 1) return `${round(microseconds * 1000)} ns`;
  if (size < 1000) return `${round(microseconds)} µs`;
  return size < 1e6 ? `${round(microseconds / 1000)} ms` : `${round(microseconds / 1e6)} s`;
}

export function bytesText(bytes: number): string {
  const power = Math.min(4, Math.max(0, Math.floor(Math.log(Math.max(1, bytes)) / Math.log(1024))));
  return `${Number((bytes / 1024 ** power).toPrecision(4))} ${["B", "KB", "MB", "GB", "TB"][power]}`;
}

export const percentText = (share: number): string => `${(100 * share).toFixed(1)} %`;

export function hashOf(text: string): number {
  let hash = 0;
  for (let at = 0; at < text.length; at += 1) hash = (Math.imul(hash, 31) + text.charCodeAt(at)) | 0;
  return (hash ^ (hash >>> 15)) >>> 0;
}

export function niceStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => least <= step)!;
}
