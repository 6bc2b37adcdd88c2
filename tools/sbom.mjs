// What is in the bundle, as CycloneDX 1.5 (https://cyclonedx.org/docs/1.5/json/): the packages whose code was bundled, from the lock file.
// `npm sbom` tells of all that is installed to build and test, and so of much that nobody gets.
import { readFileSync } from "node:fs";

/** From the licences that the build writes beside the bundle: name and version of each package. */
export const bundled = () =>
  [...readFileSync("packages/cli/dist/THIRD-PARTY-LICENSES.txt", "utf8").matchAll(/^-{80}\n\n(\S+) (\S+) \((.+)\)\n\n/gm)].map(
    ([, name, version]) => `${name}@${version}`,
  );

const purlOf = (name, version) => `pkg:npm/${name.replace("@", "%40")}@${version}`;
const licensesOf = (license) => (/ (?:AND|OR|WITH) /.test(license) ? [{ expression: license }] : [{ license: { id: license } }]);

export function sbomOf() {
  const { name, version, description, license } = JSON.parse(readFileSync("packages/cli/package.json", "utf8"));
  const { packages } = JSON.parse(readFileSync("package-lock.json", "utf8"));
  const locked = Object.entries(packages).map(([place, about]) => ({ ...about, name: place.split("node_modules/").at(-1) }));
  const components = bundled().map((each) => {
    const found = locked.find((one) => `${one.name}@${one.version}` === each);
    if (!found?.integrity || !found.license) throw new Error(`package-lock.json does not tell the digest and the licence of ${each}`);
    const [, digest] = found.integrity.split("sha512-");
    return {
      type: "library",
      "bom-ref": purlOf(found.name, found.version),
      name: found.name,
      version: found.version,
      purl: purlOf(found.name, found.version),
      scope: "required",
      licenses: licensesOf(found.license),
      hashes: [{ alg: "SHA-512", content: Buffer.from(digest, "base64").toString("hex") }],
    };
  });
  const purl = purlOf(name, version);
  const refs = components.map((each) => each["bom-ref"]);
  return {
    $schema: "http://cyclonedx.org/schema/bom-1.5.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.5",
    version: 1,
    metadata: { component: { type: "application", "bom-ref": purl, name, version, description, purl, licenses: licensesOf(license) } },
    components,
    dependencies: [{ ref: purl, dependsOn: refs }, ...refs.map((ref) => ({ ref, dependsOn: [] }))],
  };
}
