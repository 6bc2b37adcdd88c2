// How the command and the library are bundled.
export const common = {
  bundle: true,
  platform: "node",
  target: "node20",
  logLevel: "warning",
  legalComments: "none",
  minify: true,
  metafile: true,
  // The names of the library's parts come from where their sources are seen, which must not tell where node_modules really lies.
  preserveSymlinks: true,
  // The packages of this repository are read where they lie, so that a file is the same file from wherever it is imported.
  alias: { "@culprit/core": "./packages/core/src", "@culprit/machine": "./packages/machine/src" },
  // Files apart are required, like the rest.
  supported: { "dynamic-import": false },
};
