import type { Context } from "../context.ts";
import { fix } from "../fixes.ts";
import { objectNamed } from "../objects.ts";
import { aboutLibrary, newDriver, translated, type Fix, type Place } from "./place.ts";

// Which JetPack brought which CUDA (NVIDIA's JetPack archive; l4t_version.py of dusty-nv/jetson-containers).
const jetpacks: [cuda: RegExp, jetpack: string][] = [
  [/^10\.0$/, "JetPack 4.2 and 4.3"],
  [/^10\.[12]$/, "JetPack 4.4 to 4.6"],
  [/^11\./, "JetPack 5"],
  [/^12\./, "JetPack 6"],
];

// Wheels of NVIDIA's libraries, PyTorch's index and conda's CUDA are for desktops and servers; so are packages of the CUDA repository.
const ofDesktops =
  /download\.pytorch\.org|\bpip3? install\b[^\n]*(?:["\s]nvidia-|\b(?:torch|torchvision|tensorflow)\b)|get_path\("purelib"\)|\bconda install\b|\bapt-get install (?:cuda-|lib(?:cu|nv|nccl))|\bnvidia-driver-/;
const ofToolkits = /install the toolkit|install CUDA \d|toolkit that matches|install cuDNN|install NCCL/;

const jetpack: Fix = fix(
  "CUDA, cuDNN and TensorRT of a Jetson come with its JetPack; this installs those of the one that is there:",
  "sudo apt-get install nvidia-jetpack",
);
const toolkitThere: Fix = fix(
  "the toolkit of JetPack lies in `/usr/local/cuda`, and is not on PATH by itself: name it",
  "export CUDA_HOME=/usr/local/cuda PATH=/usr/local/cuda/bin:$PATH",
);
const jetpackFolder: Fix = fix(
  "let the loader look in the folder of JetPack's CUDA",
  "export LD_LIBRARY_PATH=/usr/local/cuda/lib64:$LD_LIBRARY_PATH",
);
const ofTorch = 'install the PyTorch that NVIDIA publishes for this JetPack (its page "PyTorch for Jetson" names the wheel)';

const isRemoved = (one: Fix): boolean => one.fix.startsWith("install a CUDA build of PyTorch");

/** A Jetson: driver, CUDA and the builds of frameworks are parts of JetPack. */
export function jetson(context: Context, container: boolean): Place {
  const line = (command: string): string[] =>
    ofDesktops.test(command)
      ? []
      : [
          command
            .replace(/\bnvidia-smi\b[^|;&]*/, "cat /etc/nv_tegra_release")
            .replace(/^docker run (?:--rm )?--gpus all \S+ cat \/etc\/nv_tegra_release$/, "docker info | grep -i runtime"),
        ];
  return {
    line,
    fix: (one) => {
      if (newDriver.test(one.fix))
        return [{ ...one, fix: "install a newer JetPack: the driver and CUDA of a Jetson come with it", commands: [] }];
      if (ofToolkits.test(one.fix)) return [jetpack];
      if (one.commands.some((each) => each.startsWith("export CUDA_HOME="))) return [toolkitThere];
      if (isRemoved(one)) return translated({ ...one, fix: `remove it, and ${ofTorch}` }, line);
      const kept = { ...one, fix: one.fix.replace(/`--gpus all` \([^)]*\)/, "`--runtime nvidia`") };
      return translated(kept, line);
    },
    first: (of) => firstOf(of, context, container),
  };
}

function firstOf({ cause, name = "", fixes, message }: Parameters<Place["first"]>[0], context: Context, container: boolean): Fix[] {
  // A file that was made by another release is made again, whatever is installed.
  if (/\bengine\b/.test(message)) return [];
  if (name === "nvcc" || cause === "cuda-home-wrong") return [toolkitThere];
  // What would be installed from PyPI or PyTorch's index is for other machines.
  const isTorchOfDesktops = fixes.some(
    (one) => !isRemoved(one) && one.commands.some((command) => /\btorch\b/.test(command) && ofDesktops.test(command)),
  );
  if (isTorchOfDesktops && !aboutLibrary.has(cause)) return [fix(ofTorch)];
  const object = name.startsWith("lib") ? objectNamed(name) : undefined;
  if (!aboutLibrary.has(cause) || !object || object.library === "libcuda") return [];
  const isOther = cause === "library-wrong-version" || cause === "wrong-wheel-cuda-version" || object.cuda?.first === object.cuda?.last;
  const framework = ofFramework(object.cuda, context);
  const here = cause === "wrong-wheel-cuda-version" ? [] : [jetpackFolder, ...(container ? [] : [jetpack])];
  return [
    ...(container
      ? [
          fix(
            "start the container with `--runtime nvidia`, from an image for the L4T of the host (the host has its number in /etc/nv_tegra_release): up to JetPack 4 the libraries of CUDA come from the host",
          ),
        ]
      : []),
    ...(isOther ? [...framework, ...here] : [...here, ...framework]),
  ];
}

function ofFramework(cuda: { first: string; last: string } | undefined, { speaker }: Context): Fix[] {
  const of = cuda && cuda.first === cuda.last ? jetpacks.find(([pattern]) => pattern.test(cuda.first))?.[1] : undefined;
  const built = of === undefined ? "" : `: the one here was built for CUDA ${cuda!.first}, that of ${of}`;
  if (speaker !== "torch" && speaker !== "tensorflow") return of === undefined ? [] : [fix(`take a build for this JetPack${built}`)];
  return [
    speaker === "torch"
      ? fix(`${ofTorch}${built}`)
      : fix(`install the TensorFlow that NVIDIA publishes for this JetPack ("TensorFlow for Jetson")${built}`),
  ];
}
