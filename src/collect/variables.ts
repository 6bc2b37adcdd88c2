import type { VariableSource } from "../model/inventory.ts";
import type { View } from "../resolve/view.ts";
import { namesIn, textAt } from "./python.ts";

const systemFiles = [
  "/etc/environment",
  "/etc/profile",
  "/etc/bash.bashrc",
  "/etc/bashrc",
  "/etc/zsh/zshenv",
  "/etc/zsh/zshrc",
  "/etc/zshenv",
  "/etc/zshrc",
];
const homeFiles = [
  ".bashrc",
  ".bash_profile",
  ".bash_login",
  ".profile",
  ".zshrc",
  ".zshenv",
  ".zprofile",
  ".pam_environment",
  ".config/environment.d",
];

const assignment =
  /^\s*(?:export\s+|setenv\s+|declare\s+-x\s+)?(LD_LIBRARY_PATH|LD_PRELOAD|LD_AUDIT|CUDA_HOME|CUDA_PATH|CUDA_ROOT|CUDA_VISIBLE_DEVICES|CUDA_INJECTION64_PATH|NVTX_INJECTION64_PATH|NVIDIA_VISIBLE_DEVICES|PYTHONPATH|XLA_FLAGS|TF_[A-Z_]+|PYTORCH_[A-Z_]+)(?:\+?=|\s)/;

/** Where variables that decide loading are set: shell start-up files, profile.d, conda's activation scripts. Evidence only, never applied. */
export function readVariableSources(view: View, environments: string[]): VariableSource[] {
  const home = view.snapshot.environment["HOME"];
  const folders = [
    "/etc/profile.d",
    "/etc/environment.d",
    "/usr/lib/environment.d",
    ...environments.map((prefix) => `${prefix}/etc/conda/activate.d`),
  ];
  const files = [
    ...systemFiles,
    ...folders.flatMap((folder) =>
      (namesIn(view, folder) ?? []).filter((name) => /\.(sh|csh|conf|zsh)$/.test(name)).map((name) => `${folder}/${name}`),
    ),
    ...(home ? homeFiles.map((name) => `${home}/${name}`) : []),
    ...environments.map((prefix) => `${prefix}/bin/activate`),
  ];
  const configured = ["/etc/ld.so.conf", ...(namesIn(view, "/etc/ld.so.conf.d") ?? []).map((name) => `/etc/ld.so.conf.d/${name}`)];
  const folderLines = configured.flatMap((file) =>
    (textAt(view, file) ?? "")
      .split("\n")
      .flatMap((text, index) =>
        /^\s*\/.*(cuda|nvidia|cudnn)/i.test(text) ? [{ name: "ld.so.conf", file, line: index + 1, text: text.trim() }] : [],
      ),
  );
  return [
    ...folderLines,
    ...files.flatMap((file) =>
      (textAt(view, file) ?? "").split("\n").flatMap((text, index) => {
        const name = assignment.exec(text)?.[1];
        return name === undefined ? [] : [{ name, file, line: index + 1, text: text.trim() }];
      }),
    ),
  ];
}
