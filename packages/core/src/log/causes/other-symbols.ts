import { nameOf } from "../../lib/path.ts";
import { weights, type Problem, type Suspect } from "../cause.ts";
import type { Context } from "../context.ts";
import type { Fact, Facts } from "../fact.ts";
import { fix, withoutSearchPath } from "../fixes.ts";
import { ofRocm as fileOfRocm } from "./rocm-library.ts";

const ofNvml = /^nvml[A-Z]/;
// In NVML since its first releases: who lacks these has no NVML at all.
const everInNvml = /^nvml(?:Init|Shutdown|ErrorString|SystemGetDriverVersion|DeviceGetCount|DeviceGetHandleByIndex|DeviceGetName)(?:_v2)?$/;
const ofRocm = /^(?:hsa_|hsaKmt|hip[A-Z]|amdsmi_|rsmi_|amdgpu_|amd_comgr|rocblas|hipblas|miopen|rccl|roctx)/;

// What a library of ROCm lacks is of ROCm too, whatever its name: parts of it are C++. The C++ runtime's own, and CUDA's, are not.
const isOfRocm = ({ symbol, file }: Fact<"undefined-symbol">): boolean =>
  ofRocm.test(symbol) ||
  ((/\/opt\/rocm/.test(file) || fileOfRocm.test(nameOf(file))) && !/^_ZN?K?St|^_ZNK?S[ost]|^__cxa_|^cu|^nv/.test(symbol));

/** A function of NVML or of AMD's libraries that its user expects and does not find. */
export default function otherSymbols(facts: Facts, context: Context): Problem[] {
  const all = facts.all("undefined-symbol");
  const nvml = all.filter(({ symbol }) => ofNvml.test(symbol));
  const rocm = [...all.filter(isOfRocm), ...facts.notices("hsa-mismatch")];
  return [
    ...(0 < nvml.length ? [{ weight: weights.refused, suspects: withoutNvml(nvml, context) }] : []),
    ...(0 < rocm.length ? [{ weight: weights.refused, suspects: twoRocms(rocm) }] : []),
  ];
}

function withoutNvml(evidence: Fact<"undefined-symbol">[], { driver }: Context): Suspect[] {
  const [first] = evidence;
  const { symbol, file } = first!;
  const user = file === "" ? "the program" : `\`${nameOf(file)}\``;
  const base = {
    name: "libnvidia-ml.so.1",
    library: "nvml",
    required: `libnvidia-ml with ${symbol}`,
    ...(driver ? { found: `that of driver ${driver.version}` } : {}),
    evidence: [...evidence.slice(0, 3), ...(driver ? [driver] : [])],
    next: ["nvidia-smi", "ldconfig -p | grep libnvidia-ml"],
  };
  const old: Suspect = {
    ...base,
    cause: "driver-too-old",
    certainty: "likely",
    message: `${user} calls \`${symbol}\`, which the NVML of this driver does not have yet`,
    fixes: [
      fix("install a newer NVIDIA driver, or take a release of the program for the driver that is there"),
      fix(
        "a program of one's own with go-nvml: bind late, so that only what is called must be there: `go build -ldflags='-extldflags=-Wl,-z,lazy'`",
      ),
    ],
  };
  const none: Suspect = {
    ...base,
    cause: "library-missing",
    certainty: "likely",
    message: `${user} calls \`${symbol}\`, and no libnvidia-ml is loaded: it is not installed here, or the program was not linked with it`,
    fixes: [
      fix("run it where the NVIDIA driver is, of which libnvidia-ml is a part; in a container it comes from the host"),
      fix("a program of one's own: link it (`-lnvidia-ml`), or open it before the first call (`nvmlInit`)"),
    ],
  };
  const possible = (one: Suspect, message: string): Suspect => ({ ...one, certainty: "possible", message });
  return everInNvml.test(symbol)
    ? [
        none,
        possible({ ...none, cause: "driver-not-exposed" }, "or the container was not given the driver"),
        possible(old, "or the driver is older than the program wants"),
      ]
    : [
        old,
        possible({ ...old, cause: "library-wrong-version" }, "or another, older libnvidia-ml than the driver's own is found first"),
        possible({ ...none, cause: "library-missing" }, "or no libnvidia-ml is loaded at all"),
      ];
}

function twoRocms(evidence: Fact[]): Suspect[] {
  const first = evidence.find((fact): fact is Fact<"undefined-symbol"> => fact.kind === "undefined-symbol");
  const symbol = first?.symbol;
  const user = first === undefined || first.file === "" ? "a library of ROCm" : `\`${nameOf(first.file)}\``;
  const folder = /^\/opt\/rocm-[\d.]+/.exec(first?.file ?? "")?.[0] ?? "/opt/rocm";
  const base = {
    name: first === undefined ? "libhsa-runtime64.so.1" : nameOf(first.file),
    required: symbol === undefined ? "parts of one release of ROCm" : `the library with ${symbol}, of the same release of ROCm`,
    found: "one of another release",
    evidence: evidence.slice(0, 3),
    next: ["ls -d /opt/rocm*; ls -l /opt/rocm", "ldconfig -p | grep -i 'hsa-runtime\\|amdhip\\|drm_amdgpu'", "echo $LD_LIBRARY_PATH"],
  };
  return [
    {
      ...base,
      cause: "library-wrong-version",
      certainty: "likely",
      message:
        symbol === undefined
          ? "parts of two releases of ROCm meet in one process"
          : `${user} and the library that should have \`${symbol}\` are of two releases of ROCm, or of its driver's libdrm`,
      fixes: [
        fix(
          "let all parts come from one release: put its folder first, and the others off the path",
          `export LD_LIBRARY_PATH=${folder}/lib`,
        ),
        fix(
          "remove the other releases and the distribution's own copies (libhsa-runtime64-1, libdrm-amdgpu, an amdsmi of pip), and install that release again",
        ),
      ],
    },
    {
      ...base,
      cause: "library-shadowed",
      certainty: "possible",
      message: "or the right one is there, and another is found before it: a wheel of PyTorch brings its own ROCm",
      fixes: [withoutSearchPath()],
    },
    {
      ...base,
      cause: "package-conflict",
      certainty: "possible",
      message: "or packages of AMD and of the distribution were mixed",
      fixes: [],
    },
  ];
}
