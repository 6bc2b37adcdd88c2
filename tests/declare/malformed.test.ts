import { expect, test } from "vitest";
import { declared } from "./declared.ts";

// What pip, uv, conda or Docker refuse is never silence.
test.each([
  ["a text in the place of a list", "pyproject.toml", '[project]\nname = "x"\ndependencies = "torch"\n', "pyproject.toml:3"],
  ["numbers in the place of texts", "pyproject.toml", '[project]\nname = "x"\ndependencies = [1, 2]\n', "pyproject.toml:3"],
  ["an extra that is no list", "pyproject.toml", '[project.optional-dependencies]\ngpu = "torch"\n', "pyproject.toml:2"],
  ["dependencies of conda that are no list", "environment.yml", "name: x\ndependencies: 5\n", "environment.yml:2"],
  ["a number below pip", "environment.yml", "dependencies:\n- pip:\n  - 5\n", "environment.yml:3"],
  ["a lock of a later version", "uv.lock", 'version = 99\nrequires-python = ">=3.11"\n', "uv.lock:1"],
  [
    "a package of a lock without a version",
    "uv.lock",
    'version = 1\n[[package]]\nname = "torch"\nversion = ["a"]\nsource = { registry = "https://pypi.org/simple" }\n',
    "uv.lock:3",
  ],
  ["a heredoc that nothing ends", "Dockerfile", "FROM python:3.11\nRUN <<EOF\npip install torch==2.5.1\n", "Dockerfile:2"],
  ["what is no instruction", "Dockerfile", "FROM python:3.11\nRUN pip install torch==2.5.1\nRUNN pip install jax\n", "Dockerfile:3"],
])("never green: %s", async (_, file, text, subject) => {
  const { check } = await declared(file, text);
  expect(check.status).toBe("incomplete");
  expect(check.unknown.map((each) => each.subject)).toEqual([subject]);
});

test("two signs in a row are not always a heredoc", async () => {
  const { check } = await declared("Dockerfile", 'FROM python:3.11\nRUN cat <<< "x" && pip install torch==2.5.1\nRUN echo $((1<<SHIFT))\n');
  expect(check.status).toBe("ok");
});
