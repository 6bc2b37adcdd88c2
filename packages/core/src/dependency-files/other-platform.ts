// Files for another processor than x86-64, for which nothing here is known.

/** Why nothing is told of what is installed for a platform (`linux/arm64`), or upon an image that is made for one (`arm64v8/python`). */
export function otherPlatform(platform: string | undefined, image = ""): string | undefined {
  const [, named] = /(?:^|\/)(arm64|aarch64|arm|ppc64le|s390x|riscv64)(?:\/|$)/.exec(platform ?? "") ?? [];
  const [, own] = /^(?:docker\.io\/)?(arm64v8|arm32v7|ppc64le|s390x|riscv64)\//.exec(image) ?? [];
  const other = named ?? own;
  return other === undefined ? undefined : `it is made for ${other}: known here are packages for x86-64`;
}

/** Packages of conda that only Windows, or only macOS, has. */
const ofWindows =
  /^(?:vs20\d\d_runtime|vc|vc14_runtime|ucrt|wincertstore|win_inet_pton|pywin32|pywinpty|winpty|m2w64-.*|msys2-.*|pyreadline)$/;
const ofLinux = /^(?:_libgcc_mutex|libgcc-ng|libstdcxx-ng|ld_impl_linux-64|_openmp_mutex)$/;
const ofMac = /^(?:appnope|libcxx|libcxxabi|cctools.*|ld64.*|pyobjc.*)$/;

/** A list of conda that was written down with its builds on another system: those of Linux have other builds, and conda finds none of these. */
export function otherSystem(packages: { name: string; build?: string }[]): string | undefined {
  const built = packages.filter(({ build }) => build !== undefined && !build.includes("*"));
  if (built.length * 2 < packages.length) return undefined;
  if (built.some(({ name }) => ofWindows.test(name))) return otherSystemWords("Windows");
  return built.some(({ name }) => ofMac.test(name)) && !built.some(({ name }) => ofLinux.test(name))
    ? otherSystemWords("macOS")
    : undefined;
}

const otherSystemWords = (system: string): string =>
  `its builds are those of ${system}: conda finds none of them on Linux, for which packages are known here`;
