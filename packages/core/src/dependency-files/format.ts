import type { Declaration, DependencyFileFormat } from "../model/dependency-file.ts";
import { readCondaEnvironment } from "./formats/conda-environment.ts";
import { readCondaExplicit } from "./formats/conda-explicit.ts";
import { readCondaLock, readPixiLock } from "./formats/conda-lock.ts";
import { readDevcontainer } from "./formats/devcontainer.ts";
import { readDockerfile } from "./formats/dockerfile.ts";
import { readNotebook } from "./formats/notebook.ts";
import { readPdmLock } from "./formats/pdm-lock.ts";
import { readPipfile, readPipfileLock } from "./formats/pipfile.ts";
import { readPoetryLock } from "./formats/poetry-lock.ts";
import { readPylock } from "./formats/pylock.ts";
import { readPyproject } from "./formats/pyproject.ts";
import { readRequirements } from "./formats/requirements.ts";
import { readUvLock } from "./formats/uv-lock.ts";
import { readWorkflow } from "./formats/workflow.ts";

/** One reader for each format; what is no TOML, YAML or JSON is thrown, as one sentence. */
const readers: { [Format in DependencyFileFormat]: (text: string, file: string) => Declaration } = {
  requirements: (text, file) => readRequirements(text, file),
  pyproject: readPyproject,
  "uv-lock": readUvLock,
  "poetry-lock": readPoetryLock,
  "pdm-lock": readPdmLock,
  pylock: readPylock,
  pipfile: readPipfile,
  "pipfile-lock": readPipfileLock,
  "conda-environment": readCondaEnvironment,
  "conda-lock": readCondaLock,
  "conda-explicit": readCondaExplicit,
  "pixi-lock": readPixiLock,
  dockerfile: readDockerfile,
  notebook: readNotebook,
  devcontainer: readDevcontainer,
  workflow: readWorkflow,
};

export const readFormat = (format: DependencyFileFormat, text: string, file: string): Declaration => readers[format](text, file);
