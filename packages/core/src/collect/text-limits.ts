// How large texts may be. What is larger than any such file was ever seen is not read, and said to be too large: a loader would go through all
// of it, and so would we, for minutes.
const kilobytes = 1 << 10;
const megabytes = 1 << 20;

/** How many bytes of a file are read, and how many characters of it are kept, at most. By its path; the first that fits. */
const limits: [pattern: RegExp, read: number, kept: number][] = [
  // Files of the kernel do not say how long they are; what matters stands at their start.
  [/^\/(?:proc|sys)\//, 16 * kilobytes, 16 * kilobytes],
  [/^\/etc\/ld\.so\.preload$/, 16 * kilobytes, 16 * kilobytes],
  [/^\/etc\/ld\.so\.conf(?:$|\.d\/)|^\/etc\/ld-musl-/, 256 * kilobytes, 256 * kilobytes],
  [/\.pth$|\/pyvenv\.cfg$|\/direct_url\.json$/, 256 * kilobytes, 256 * kilobytes],
  [/\.(?:dist|egg)-info\/(?:METADATA|PKG-INFO)$/, 16 * megabytes, 256 * kilobytes],
  [/\.dist-info\/RECORD$/, 32 * megabytes, 2 * megabytes],
  [/^\/var\/lib\/dpkg\/status$/, 32 * megabytes, 1 * megabytes],
  [/^\/var\/lib\/dpkg\/info\/.*\.list$/, 32 * megabytes, 2 * megabytes],
  [/\/conda-meta\/[^/]+\.json$/, 32 * megabytes, 2 * megabytes],
  [/\/compile_commands\.json$|\/build\.ninja$|\/CMakeFiles\/impl-[^/]*\.ninja$/, 32 * megabytes, 4 * megabytes],
  [/./, 4 * megabytes, 4 * megabytes],
];

export interface TextLimit {
  read: number;
  kept: number;
  /** What is beyond the limit of reading does not matter. */
  isCut: boolean;
}

export function textLimit(path: string): TextLimit {
  const [, read, kept] = limits.find(([pattern]) => pattern.test(path))!;
  return { read, kept, isCut: path.startsWith("/proc/") || path.startsWith("/sys/") };
}
