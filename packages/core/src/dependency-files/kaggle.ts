// Kaggle's notebooks: https://github.com/Kaggle/kaggle-api/blob/main/docs/kernels_metadata.md
import type { Declaration, DeclaredStep } from "../model/dependency-file.ts";
import type { Place } from "../model/finding.ts";
import { fields, word } from "./finding-lines.ts";
import { readJson } from "./json.ts";

/** What `metadata.kaggle` of a notebook, or the kernel-metadata.json beside it, says of where it runs. */
interface Runtime {
  accelerator?: string;
  hasGpu: boolean;
  image?: string;
  place: Place;
}

/** `nvidiaTeslaT4` → `Tesla T4`. Of plain `gpu` nobody can tell which. */
const productOf = (accelerator: string): string | undefined => {
  const name = /^nvidia(tesla|rtx)?([a-z]+\d+\w*?)(?:x\d+|highmem)?$/i.exec(accelerator);
  return name ? [name[1], name[2]].filter((part) => part !== undefined).join(" ") : undefined;
};

/** The declaration of a notebook that runs there: what the image has by itself is not known, and it is no Colab. */
function onKaggle(declaration: Declaration, { accelerator = "", hasGpu, image, place }: Runtime): Declaration {
  const product = productOf(accelerator);
  const isGpu = hasGpu || product !== undefined;
  const name = image ?? (isGpu ? "gcr.io/kaggle-gpu-images/python" : "gcr.io/kaggle-images/python");
  const steps: DeclaredStep[] = [
    { kind: "image", name, place },
    { kind: "unseen", what: "Kaggle's image", place },
    ...(isGpu ? [{ kind: "gpu" as const, ...(product === undefined ? {} : { product }), place }] : []),
  ];
  const { isColab: _, ...rest } = declaration;
  const reason = "it is made for Kaggle: what its image has by itself is not known here";
  return { ...rest, steps: [...steps, ...declaration.steps], unknown: [{ subject: declaration.file, reason }, ...declaration.unknown] };
}

/** A notebook whose own metadata says that it runs on Kaggle. */
export function asItsMetadataSays(declaration: Declaration, metadata: unknown, text: string): Declaration {
  const kaggle = fields(fields(metadata)?.["kaggle"]);
  if (!kaggle) return declaration;
  const accelerator = word(kaggle["accelerator"]);
  const at = text.search(/"kaggle"\s*:/);
  const line = at < 0 ? 1 : text.slice(0, at).split("\n").length;
  return onKaggle(declaration, {
    ...(accelerator === undefined ? {} : { accelerator }),
    hasGpu: kaggle["isGpuEnabled"] === true || accelerator === "gpu",
    place: { file: declaration.file, line },
  });
}

/** A notebook that the kernel-metadata.json beside it names; the declaration as it is where that is about another one. */
export function asItsKernelSays(declaration: Declaration, text: string, file: string): Declaration {
  let kernel: { [name: string]: unknown } | undefined;
  try {
    kernel = fields(readJson(text));
  } catch {
    return declaration;
  }
  const code = word(kernel?.["code_file"])?.replace(/^\.\//, "");
  const isTold = declaration.unknown.some(({ reason }) => reason.startsWith("it is made for Kaggle"));
  if (!kernel || isTold || code !== declaration.file.slice(declaration.file.lastIndexOf("/") + 1)) return declaration;
  const [accelerator, image] = [word(kernel["machine_shape"]), word(kernel["docker_image"])];
  return onKaggle(declaration, {
    ...(accelerator === undefined ? {} : { accelerator }),
    ...(image === undefined || image === "" ? {} : { image }),
    hasGpu: kernel["enable_gpu"] === true || kernel["enable_gpu"] === "true",
    place: { file, line: 1 },
  });
}
