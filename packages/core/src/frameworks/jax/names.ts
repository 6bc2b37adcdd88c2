import { defineNames } from "../../model/framework-names.ts";

const parts = ["jaxlib", "jax-cuda*-plugin", "jax-cuda*-pjrt"];

export default defineNames({
  id: "jax",
  packages: ["jax"],
  modules: ["jax", "jaxlib"],
  mapped: ["/jaxlib/", "/jax_plugins/"],
  solve: { name: "jax", rank: 3 },
  parts,
  refusesNewer: { parts: ["jaxlib"], source: "jax/_src/lib/__init__.py: check_jaxlib_version" },
  asking: ["jax", ...parts],
  exact: parts,
  bundling: { packages: ["jaxlib"], folders: ["jaxlib/cuda"] },
  conda: { jaxlib: "jaxlib", jax: "jax" },
  condaBuilds: {
    package: "jaxlib",
    withGpu: [],
    withoutGpu: [],
    choosesNone: [],
    follow: ["jax"],
    upon: ["flax", "optax", "chex", "numpyro", "dm-haiku", "brax", "equinox", "diffrax", "orbax*"],
  },
  // Where the CUDA builds of jaxlib are until 0.4.29; which one a label means is not told by PyPI.
  otherIndexes: ["jax-releases"],
  labelPage: "https://storage.googleapis.com/jax-releases/jax_cuda_releases.html",
  profilesWithCupti: true,
  ngc: { image: "jax", packages: ["jax", "jaxlib"] },
});
