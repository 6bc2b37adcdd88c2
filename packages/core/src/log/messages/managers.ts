import type { Signature } from "../signature.ts";

const told = (subject: "uv" | "uv pip" | "poetry" | "pixi") => ({ kind: "notice" as const, id: "managed-by", subject });

/** What keeps the packages of the text's project, by the commands that somebody typed and the files that he names. */
export default [
  {
    literals: ["uv add", "uv sync", "uv run", "uv lock", "uv.lock", "[tool.uv", "uv pip install", "uv pip sync"],
    pattern: /(?:^|[\s`$>#!"'(])(?:(?<project>uv (?:add|sync|run|lock)\b|uv\.lock\b|\[tool\.uv)|uv pip (?:install|sync)\b)/,
    examples: ["$ uv add torch", "RUN uv pip install --system torch", "[tool.uv.sources]"],
    facts: ({ project }) => told(project === undefined ? "uv pip" : "uv"),
    single: true,
  },
  {
    literals: ["poetry add", "poetry install", "poetry run", "poetry lock", "poetry shell", "poetry.lock", "[tool.poetry", "poetry update"],
    pattern: /(?:^|[\s`$>#!"'(])(?:poetry (?:add|install|run|lock|shell|update)\b|poetry\.lock\b|\[tool\.poetry)/,
    examples: ["$ poetry run python train.py", "poetry add torch installs 2.3.1"],
    facts: () => told("poetry"),
    single: true,
  },
  {
    literals: ["pixi add", "pixi run", "pixi install", "pixi shell", "pixi.toml", "pixi.lock", "[tool.pixi"],
    pattern: /(?:^|[\s`$>#!"'(])(?:pixi (?:add|run|install|shell)\b|pixi\.(?:toml|lock)\b|\[tool\.pixi)/,
    examples: ["$ pixi run python train.py", "pixi.toml"],
    facts: () => told("pixi"),
    single: true,
  },
] satisfies Signature[];
