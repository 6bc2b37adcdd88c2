import type { DependencyFileFormat } from "../model/dependency-file.ts";

/** Which of the formats a file is, by its name and, where that leaves a choice, by what stands in it. */
export function recognise(file: string, text: string): DependencyFileFormat | undefined {
  const name = file.slice(file.lastIndexOf("/") + 1).toLowerCase();
  const head = text.slice(0, 20_000);
  if (text.includes("\0")) return undefined;
  if (name.endsWith(".ipynb")) return "notebook";
  if (name === "uv.lock") return "uv-lock";
  if (name === "poetry.lock") return "poetry-lock";
  if (name === "pdm.lock") return "pdm-lock";
  if (/^pylock(\.[^.]+)?\.toml$/.test(name)) return "pylock";
  if (name === "pixi.lock") return "pixi-lock";
  if (name === "pipfile") return "pipfile";
  if (name === "pipfile.lock") return "pipfile-lock";
  if (/^(pyproject|pixi).*\.toml$/.test(name)) return "pyproject";
  if (/(^|[./_-])(dockerfile|containerfile)([./_-]|$)/.test(name) && !/\.(dockerignore|md|rst|sh|py)$/.test(name)) return "dockerfile";
  if (/(^|[._-])conda-lock\.ya?ml$/.test(name)) return "conda-lock";
  if (/^[ \t]*@EXPLICIT[ \t\r]*$/m.test(head)) return "conda-explicit";
  if (/devcontainer.*\.json$/.test(name)) return "devcontainer";
  if (name.endsWith(".json")) return recogniseJson(head);
  if (name.endsWith(".yml") || name.endsWith(".yaml")) {
    if (/^jobs\s*:/m.test(text) && /^["']?on["']?\s*:|^true\s*:/m.test(text)) return "workflow";
    if (/^package\s*:/m.test(text) && /^metadata\s*:/m.test(text)) return "conda-lock";
    if (/^dependencies\s*:/m.test(text)) return "conda-environment";
    return undefined;
  }
  if (name.endsWith(".toml")) return /^\[(project|tool|dependency-groups|build-system)\b/m.test(head) ? "pyproject" : undefined;
  if (name.endsWith(".lock"))
    return /^\[\[package\]\]/m.test(text)
      ? /^requires-python\s*=/m.test(head)
        ? "uv-lock"
        : /^lock_version\s*=/m.test(text)
          ? "pdm-lock"
          : "poetry-lock"
      : undefined;
  if (/\.(txt|in|pip|reqs)$/.test(name) || /requirements|constraints/.test(name)) {
    if (/^[a-z0-9_.-]+=[^=\s]+=\S+\s*$/m.test(head) && !/^[\w.-]+\s*(==|>=|~=)/m.test(head)) return "conda-explicit";
    return "requirements";
  }
  return /^[ \t]*FROM[ \t]+\S+/im.test(head) && /^[ \t]*(RUN|COPY|ENV|CMD|ENTRYPOINT|WORKDIR)\s/im.test(head) ? "dockerfile" : undefined;
}

function recogniseJson(head: string): DependencyFileFormat | undefined {
  if (/"nbformat"\s*:|"cell_type"\s*:/.test(head)) return "notebook";
  if (/"_meta"\s*:[^]*"pipfile-spec"/.test(head)) return "pipfile-lock";
  return undefined;
}
