// What the tag of a well-known base image says about it.
import type { Installed } from "./install.ts";
import type { DeclaredStep } from "../model/dependency-file.ts";
import type { Place } from "../model/finding.ts";
import type { NgcConstraint, NgcImage } from "../model/knowledge.ts";
import { frameworkRelease } from "../knowledge/frameworks.ts";
import { publishedPackage } from "../knowledge/published.ts";
import { ngcConstraint, ngcImage } from "../knowledge/ngc.ts";
import { frameworkNames } from "../model/framework-names.generated.ts";

export interface BaseImage {
  name: string;
  place: Place;
  /** Images whose contents the tag tells. Of `other` nothing is known. */
  kind: "cuda" | "pytorch" | "tensorflow" | "ngc" | "python" | "plain" | "other";
  /** It is no image, but what modules of a cluster put on the search paths: what else the cluster has is not known. */
  isModules?: true;
  cuda?: string;
  /** The major of the cuDNN that is inside; absent: none. */
  cudnn?: string;
  /** cuBLAS and the others are inside, not only the runtime. */
  hasLibraries?: boolean;
  /** By its tag or its name it is for machines without a GPU; what to take in its place, where that is known. */
  withoutGpu?: { instead?: string };
  /** Whether it has nvcc. */
  hasCompiler?: boolean;
  /** Its tag moves on: it is taken for the image of this release, the newest that is known. */
  isNewest?: string;
  python?: string;
  /** Its C library is musl, as Alpine's: wheels for glibc are none for it. */
  isMusl?: true;
  /** It is nothing but its distribution (and CUDA): no Python is in it, and whether apt's own lets pip install. */
  bare?: { isManaged: boolean };
  /** The Python that apt would bring. */
  systemPython?: string;
  /** The release of Ubuntu below. */
  ubuntu?: string;
  /** Of nvcr.io/nvidia: which one, and what is known of it. */
  ngc?: { image: string; release: string; row?: NgcImage; constraint?: NgcConstraint };
  packages: Installed[];
}

const ubuntuPythons: { [release: string]: string } = { "18.04": "3.6", "20.04": "3.8", "22.04": "3.10", "24.04": "3.12" };
const names: { [name: string]: string } = { bionic: "18.04", focal: "20.04", jammy: "22.04", noble: "24.04" };

const debianNames: { [name: string]: string } = { buster: "10", bullseye: "11", bookworm: "12", trixie: "13" };

/** Debian 12 and Ubuntu 23.04 are the first whose Python says that it is apt's alone (PEP 668). */
const isManagedUbuntu = (release: string): boolean => "23.04" <= release;

export function readImage(name: string, place: Place): BaseImage {
  const plain = name
    .replace(/@sha256:[\w]*$/, "")
    .replace(/^(?:docker\.io|registry-1\.docker\.io|mirror\.gcr\.io|public\.ecr\.aws\/docker)\//, "")
    .replace(/^library\//, "");
  const colon = plain.lastIndexOf(":");
  const [repository, tag] = colon <= plain.lastIndexOf("/") ? [plain, ""] : [plain.slice(0, colon), plain.slice(colon + 1)];
  const image: BaseImage = { name, place, kind: "other", packages: [] };
  const ubuntu = /(?:ubuntu|-)(\d\d\.\d\d)/.exec(tag)?.[1];
  const systemPython = ubuntu === undefined ? undefined : ubuntuPythons[ubuntu];
  const withSystem = { ...(systemPython === undefined ? {} : { systemPython }), ...(ubuntu === undefined ? {} : { ubuntu }) };
  const installed = (packageName: string, version: string, variant?: string): Installed => ({
    name: packageName,
    version,
    ...(variant === undefined ? {} : { variant }),
    extras: [],
    manager: "image",
    isAssumed: false,
    place,
    step: 0,
  });
  const ngc = /^nvcr\.io\/nvidia\/(.+)$/.exec(repository)?.[1];
  if (ngc === "tritonserver" || (ngc !== undefined && frameworkNames.some((names) => names.ngc?.image === ngc)))
    return ngcFrom(image, ngc, tag);
  switch (repository) {
    case "nvidia/cuda":
    case "nvcr.io/nvidia/cuda": {
      const [, cuda, cudnn, number, flavour] = /^(\d+\.\d+(?:\.\d+)?)-(cudnn(\d*)-)?(base|runtime|devel)\b/.exec(tag) ?? [];
      if (cuda === undefined) return image;
      // Without a number the images have cuDNN 9, which began with those of CUDA 12.4.
      return {
        ...image,
        kind: "cuda",
        cuda,
        hasLibraries: flavour !== "base",
        hasCompiler: flavour === "devel",
        ...(cudnn === undefined ? {} : { cudnn: number === "" ? "9" : number! }),
        ...withSystem,
        ...(ubuntu === undefined ? {} : { bare: { isManaged: isManagedUbuntu(ubuntu) } }),
      };
    }
    // Samples of NVIDIA, linked with what they need.
    case "nvcr.io/nvidia/k8s/cuda-sample": {
      const cuda = /-cuda(\d+\.\d+\.\d+)\b/.exec(tag)?.[1];
      return cuda === undefined ? image : { ...image, kind: "cuda", cuda, hasLibraries: false, hasCompiler: false, ...withSystem };
    }
    case "pytorch/pytorch": {
      const [, version, cuda, cudnn, flavour] = /^(\d+\.\d+\.\d+)-cuda(\d+\.\d+)-cudnn(\d+)-(devel)?/.exec(tag) ?? [];
      if (version === undefined) return image;
      return {
        ...image,
        kind: "pytorch",
        cuda: cuda!,
        cudnn: cudnn!,
        hasCompiler: flavour !== undefined,
        packages: [installed("torch", version, `cu${cuda!.replace(".", "")}`)],
      };
    }
    case "tensorflow/tensorflow": {
      // Those of 1.x and 2.0 come for both Pythons: https://github.com/tensorflow/tensorflow/blob/v1.15.0/tensorflow/tools/dockerfiles/spec.yml
      const [, given, gpu, three] = /^(\d+\.\d+\.\d+|latest|)(-gpu)?(?:-py(3)|-py2)?(?:-jupyter)?$/.exec(tag) ?? [];
      // No tag is `latest`, and that is the newest release.
      const version = given === "latest" || tag === "" ? publishedPackage("tensorflow")?.releases.at(-1)?.version : given;
      if (version === undefined || version === "" || (three === undefined && version.startsWith("1."))) return image;
      const isNewest = given === "latest" || tag === "" ? { isNewest: version } : {};
      if (gpu === undefined) return { ...image, kind: "tensorflow", ...isNewest, packages: [], withoutGpu: { instead: gpuTag(name, tag) } };
      return { ...image, kind: "tensorflow", ...isNewest, packages: [installed("tensorflow", version)], ...cudaOfTensorflow(version) };
    }
    case "python": {
      const version = /^(3\.\d+)/.exec(tag)?.[1];
      const musl = /(?:^|-)alpine/.test(tag) ? { isMusl: true as const } : {};
      return { ...image, kind: "python", ...musl, ...(version === undefined ? {} : { python: version }) };
    }
    case "ubuntu": {
      const release = names[tag.replace(/-\d+$/, "")] ?? /^(\d\d\.\d\d)/.exec(tag)?.[1];
      const found = release === undefined ? undefined : ubuntuPythons[release];
      const bare =
        release === undefined && !/^(?:latest)?$/.test(tag)
          ? {}
          : { bare: { isManaged: release === undefined || isManagedUbuntu(release) } };
      return { ...image, kind: "plain", ...bare, ...(found === undefined ? {} : { systemPython: found }) };
    }
    // Kaggle's have these, in releases that their tags do not tell.
    case "gcr.io/kaggle-images/python":
    case "gcr.io/kaggle-gpu-images/python":
      return {
        ...image,
        packages: ["torch", "torchvision", "torchaudio", "tensorflow", "jax", "jaxlib"].map((each) => {
          const { version: _, ...own } = installed(each, "");
          return own;
        }),
      };
    case "debian": {
      const release = debianNames[/^[a-z]+/.exec(tag)?.[0] ?? ""] ?? /^\d+/.exec(tag)?.[0];
      return { ...image, kind: "plain", ...(release === undefined ? {} : { bare: { isManaged: 12 <= Number(release) } }) };
    }
    case "alpine":
      return { ...image, kind: "plain", isMusl: true };
    case "scratch":
      return { ...image, kind: "plain" };
    default: {
      const version = /^(?:mcr\.microsoft\.com\/(?:vscode\/)?devcontainers\/python)$/.test(repository)
        ? /(?:^|-)(3\.\d+)/.exec(tag)?.[1]
        : undefined;
      if (version !== undefined) return { ...image, kind: "python", python: version };
      return /(?:^|[-_/])cpu(?:$|[-_./\d])/.test(`${repository.slice(repository.lastIndexOf("/") + 1)}/${tag}`)
        ? { ...image, withoutGpu: {} }
        : image;
    }
  }
}

/** `2.14.0-gpu-jupyter` for `2.14.0-jupyter`. */
const gpuTag = (name: string, tag: string): string =>
  tag === "" ? `${name}:latest-gpu` : name.replace(tag, tag.replace(/^(\d+\.\d+\.\d+|latest)/, "$1-gpu"));

/**
 * Up to 2.14 its images are made of nvidia/cuda and NVIDIA's packages for the CUDA that this TensorFlow was built for:
 * https://github.com/tensorflow/tensorflow/blob/v2.14.0/tensorflow/tools/dockerfiles/dockerfiles/gpu.Dockerfile
 */
function cudaOfTensorflow(version: string): Pick<BaseImage, "cuda" | "cudnn" | "hasLibraries"> {
  const [major, minor] = version.split(".").map(Number);
  const row = major === 2 && minor! < 15 ? frameworkRelease("tensorflow", version)?.release : undefined;
  return row?.cuda === undefined || row.cudnn === undefined ? {} : { cuda: row.cuda, cudnn: row.cudnn.split(".")[0]!, hasLibraries: true };
}

/** `24.05-py3`, `24.05-tf2-py3`, `25.12-vllm-python-py3`. Those for Jetson (`-igpu`) are other ones. */
function ngcFrom(image: BaseImage, name: string, tag: string): BaseImage {
  const [, release, flavour] = /^(\d\d\.\d\d)(?:-(tf[12]|trtllm|vllm))?(?:-python)?-py3$/.exec(tag) ?? [];
  if (release === undefined) return image;
  const row = ngcImage(name, release, flavour?.startsWith("tf") ? undefined : flavour);
  const constraint = ngcConstraint(name, release);
  const packages = (frameworkNames.find(({ ngc }) => ngc?.image === name)?.ngc?.packages ?? []).map((each, index): Installed => ({
    name: each,
    extras: [],
    manager: "image",
    isAssumed: false,
    ...(index === 0 && row?.version !== undefined ? { ownVersion: row.version } : {}),
    place: image.place,
    step: 0,
  }));
  return {
    ...image,
    kind: "ngc",
    packages,
    ngc: { image: name, release, ...(row ? { row } : {}), ...(constraint ? { constraint } : {}) },
    ...(row ? { cuda: row.cuda } : {}),
    ...(row?.python === undefined ? {} : { python: row.python }),
  };
}

/** The toolkit that `module load cuda/11.8` puts on the search paths, with the cuDNN of its own module. */
export function modulesAsImage(steps: DeclaredStep[]): BaseImage | undefined {
  const loaded = (names: RegExp) => steps.findLast((step) => step.kind === "module" && names.test(step.name));
  const toolkit = loaded(/^cuda(?:-?toolkit)?$/);
  if (toolkit?.kind !== "module") return undefined;
  const cuda = /^\d+\.\d+(?:\.\d+)?/.exec(toolkit.version ?? "")?.[0];
  if (cuda === undefined) return undefined;
  const cudnn = loaded(/^cudnn$/);
  const major = cudnn?.kind === "module" ? /^\d+/.exec(cudnn.version ?? "")?.[0] : undefined;
  return {
    name: `module ${toolkit.name}/${toolkit.version}`,
    place: toolkit.place,
    kind: "cuda",
    isModules: true,
    cuda,
    ...(major === undefined ? {} : { cudnn: major }),
    hasLibraries: true,
    hasCompiler: true,
    packages: [],
  };
}
