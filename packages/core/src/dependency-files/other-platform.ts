// Files for another processor than x86-64, for which nothing here is known.

/** Why nothing is told of what is installed for a platform (`linux/arm64`), or upon an image that is made for one (`arm64v8/python`). */
export function otherPlatform(platform: string | undefined, image = ""): string | undefined {
  const [, named] = /(?:^|\/)(arm64|aarch64|arm|ppc64le|s390x|riscv64)(?:\/|$)/.exec(platform ?? "") ?? [];
  const [, own] = /^(?:docker\.io\/)?(arm64v8|arm32v7|ppc64le|s390x|riscv64)\//.exec(image) ?? [];
  const other = named ?? own;
  return other === undefined ? undefined : `it is made for ${other}: known here are packages for x86-64`;
}
