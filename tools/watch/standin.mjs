// The driver for tests: compiled, put into a folder, and entered into a cache of the loader that only the watched program sees.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
/** As new as the newest framework asks for. */
const version = "580.159.04";
const cuda = 13000;

/** Makes all of it below a folder. */
export function makeStandIn(folder) {
  const lib = `${folder}/driver`;
  mkdirSync(lib, { recursive: true });
  const names = readFileSync(here("driver-functions.txt"), "utf8").split(/\s+/).filter(Boolean);
  writeFileSync(`${folder}/driver-functions.h`, names.map((name) => `OTHER(${name})\n`).join(""));
  const compile = (source, out, ...options) =>
    execFileSync("cc", ["-O1", "-shared", "-fPIC", "-I", folder, ...options, "-o", out, here(source)], { stdio: "inherit" });
  for (const [source, soname] of [
    ["driver.c", "libcuda.so"],
    ["management.c", "libnvidia-ml.so"],
  ]) {
    compile(source, `${lib}/${soname}.${version}`, `-DDRIVER="${version}"`, `-DDRIVER_CUDA=${cuda}`, `-Wl,-soname,${soname}.1`);
    if (!existsSync(`${lib}/${soname}.1`)) symlinkSync(`${soname}.${version}`, `${lib}/${soname}.1`);
  }
  compile("audit.c", `${folder}/audit.so`);
  const before = existsSync("/etc/ld.so.conf") ? readFileSync("/etc/ld.so.conf", "utf8") : "";
  writeFileSync(`${folder}/ld.so.conf`, `${lib}\n${before}`);
  // The real ldconfig; /usr/sbin is not on everybody's PATH.
  const ldconfig = ["/usr/sbin/ldconfig", "/sbin/ldconfig"].find(existsSync) ?? "ldconfig";
  execFileSync(ldconfig, ["-X", "-f", `${folder}/ld.so.conf`, "-C", `${folder}/ld.so.cache`], { stdio: ["ignore", "ignore", "inherit"] });
  return { driver: lib, audit: `${folder}/audit.so`, enter: ["sh", here("namespace.sh"), folder] };
}
