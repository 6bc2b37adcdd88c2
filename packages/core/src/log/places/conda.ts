import { packages } from "../../knowledge/texts/packages.generated.ts";
import { fix } from "../fixes.ts";
import type { Place } from "./place.ts";

/** Libraries in an environment whose framework is conda's: what pip brings beside them is not looked for there. */
export const conda: Place = {
  line: (command) => {
    const wanted = /^pip install (?:-U |--upgrade )?"?(?<name>[\w-]+)(?<extra>\[[^\]]*\])?(?<range>[=<>!~][^"\s]*)?"?$/.exec(
      command,
    )?.groups;
    if (!wanted) return [command];
    const { name = "", extra = "", range = "" } = wanted;
    if (name === "jax" && extra.startsWith("[cuda")) return ['conda install -c conda-forge jax "jaxlib=*=*cuda*"'];
    const own = condaName(name);
    return [own === undefined ? command : `conda install -c conda-forge ${range === "" ? own : `"${own}${range}"`}`];
  },
  fix: (one) => {
    if (one.fix.startsWith("install a CUDA build of PyTorch")) return [torch];
    const commands = one.commands.flatMap(conda.line);
    if (!commands.some((each) => each.startsWith("conda "))) return [one];
    // The folder of a wheel is of no use where there is none.
    return [
      {
        ...one,
        fix: one.fix.replace(/^install the wheel that holds (`[^`]+`).*$/, "install the package that holds $1"),
        commands: [...new Set(commands.filter((each) => !each.includes('get_path("purelib")')))],
      },
    ];
  },
  first: () => [],
};

/** pip beside conda would leave two of it in one environment. */
const torch = fix(
  "name a CUDA build outright; where it is refused, conda says what is in the way (`cpuonly` among it, which `conda remove cpuonly` takes away)",
  'conda install -c conda-forge "pytorch=*=cuda*"',
);

/** conda-forge's package with the library that this wheel of NVIDIA's holds. */
function condaName(wheel: string): string | undefined {
  const all = packages().packages;
  const [soname] = all.find((each) => each.ecosystem === "pypi" && each.name === wheel && wheel.startsWith("nvidia-"))?.provides ?? [];
  if (soname === undefined) return undefined;
  return all.find(
    (each) =>
      each.ecosystem === "conda" &&
      each.name !== "cudatoolkit" &&
      each.provides.some((name) => name.split(".so")[0] === soname.split(".so")[0]),
  )?.name;
}
