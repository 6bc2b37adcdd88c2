// What functions that an import calls, and blocks at its margin, come to behind conditions: speechbrain, retina-face, diffusers, bitsandbytes.
import { describe, expect, test } from "vitest";
import { glibcLoader } from "../loader/answers.ts";
import { needs } from "../needs.ts";
import { pure, told } from "./told.ts";

const waves = (version = "2.9.1", init = "__version__ = 0\n") => pure("waves", { "waves/__init__.py": init }, [], version);
const loader = needs({ loader: glibcLoader !== undefined });
const crest = "module 'waves' has no attribute 'crest'";
const at = (message: string, file = "__init__.py") =>
  `rays cannot be imported (${message}), where ${file} comes to that line: what it asks before is not known`;
const called = (body: string) => `import waves\ndef check(given=1):\n${body}\n\ncheck()\n`;

describe("a name of another module, in a function that an import calls", loader, () => {
  test.each([
    ["in any case", "    all = waves.crest()", [`import-fails ${crest}`]],
    [
      "behind a release that is there",
      "    if Version(waves.__version__) >= Version('2.0'):\n        x = waves.crest()",
      [`import-fails ${crest}`],
    ],
    ["behind one number of it", "    if int(waves.__version__.split('.')[1]) >= 9:\n        x = waves.crest()", [`import-fails ${crest}`]],
    [
      "past an end for another release",
      "    if Version(waves.__version__) < Version('2.0'):\n        return\n    x = waves.crest()",
      [`import-fails ${crest}`],
    ],
    [
      "behind a number that is called after it",
      "    waves_major = read()\n    if waves_major is None:\n        pass\n    elif waves_major >= 2:\n        x = waves.crest()",
      [at(crest)],
    ],
    ["behind anything", "    if given:\n        x = waves.crest()", [at(crest)]],
    ["past a return of which nobody can tell", "    if given:\n        return\n    x = waves.crest()", [at(crest)]],
  ])("%s", async (_, body, expected) => {
    expect(
      await told(
        { "rays/__init__.py": `from packaging.version import Version\n${called(body)}` },
        { ...waves(), ...pure("packaging", { "packaging/__init__.py": "", "packaging/version.py": "class Version: pass\n" }) },
      ),
    ).toEqual(expected);
  });

  test.each([
    ["behind a release that is not there", "    if int(waves.__version__.split('.')[0]) < 2:\n        x = waves.crest()"],
    ["behind a release that is asked for in some other way", "    if WAVES_LT_30:\n        x = waves.crest()"],
    ["where it is asked for before", "    if hasattr(waves, 'crest'):\n        x = waves.crest()"],
    ["past a question for it", "    if not hasattr(waves, 'crest'):\n        return\n    x = waves.crest()"],
    ["in a try that catches", "    try:\n        x = waves.crest()\n    except AttributeError:\n        pass"],
    ["that is given by that name", "    for waves in given:\n        x = waves.crest()"],
    ["that the file puts there", "    waves.crest = given\n    x = waves.crest()"],
    ["behind a return", "    return\n    x = waves.crest()"],
    ["of a function within it", "    def inner():\n        x = waves.crest()"],
    ["that is there", "    x = waves.__version__()"],
  ])("nothing is said of one %s", async (_, body) => {
    expect(await told({ "rays/__init__.py": called(body) }, waves())).toEqual([]);
  });

  test("a return of another function ends nothing of what comes after that", async () => {
    const newer = "if int(waves.__version__.split('.')[0]) >= 2:\n    x = waves.crest()\n";
    const init = `import waves\ndef other(given):\n    if given:\n        return 1\n    return 2\n\n${newer}`;
    expect(await told({ "rays/__init__.py": init }, waves())).toEqual([`import-fails ${crest}`]);
  });

  test("of a parameter", async () => {
    expect(await told({ "rays/__init__.py": "import waves\ndef check(waves):\n    x = waves.crest()\n\ncheck(1)\n" }, waves())).toEqual([]);
  });
});

describe("a block at the margin", loader, () => {
  test("behind anything: a name is unknown, a module that is nowhere is often not meant", async () => {
    expect(await told({ "rays/__init__.py": "import waves\nif fast():\n    x = waves.crest()\n" }, waves())).toEqual([at(crest)]);
    expect(await told({ "rays/__init__.py": "if fast():\n    import gone\n    from waves.inner import x\n" }, waves())).toEqual([]);
  });

  test("the other way of a question for a module", async () => {
    const question = "if not is_waves_available():\n    x = 1\nelse:\n    from waves.ops import one\n";
    expect(await told({ "rays/__init__.py": question }, waves())).toEqual([
      "rays cannot be imported (No module named 'waves.ops'), where it goes by waves being there, as it is: what it asks besides is not known",
    ]);
    expect(await told({ "rays/__init__.py": question })).toEqual([]);
  });

  test("of a constant that is never so", async () => {
    expect(await told({ "rays/__init__.py": "import waves\nFAST = False\nif FAST:\n    x = waves.crest()\n" }, waves())).toEqual([]);
  });
});

test("a release that is asked for in the way of transformers, be it with an extra", loader, async () => {
  const python = {
    "rays/__init__.py": "from .check import dep_version_check\nif USED:\n    dep_version_check('waves')\n",
    "rays/check.py": "def dep_version_check(name):\n    pass\n",
  };
  const said = "waves>=3.0 is required for a normal functioning of this module, but found waves==2.9.1.";
  expect(await told(python, waves(), ['waves>=3.0; extra == "training"'])).toEqual([at(said)]);
  expect(await told(python, waves("3.1"), ['waves>=3.0; extra == "training"'])).toEqual([]);
});

describe("a module without which a function ends in words of its own", loader, () => {
  const need = (condition: string) =>
    `import waves\ndef validate():\n    major = int(waves.__version__.split('.', maxsplit=1)[0])\n    minor = int(waves.__version__.split('.', maxsplit=-1)[1])\n    if ${condition}:\n        return\n    try:\n        import old_waves\n    except ImportError as e:\n        raise ValueError('install old-waves') from e\n`;
  const newer = need("major == 1 or (major == 2 and minor < 9)");

  test("for a release", async () => {
    const python = { "rays/__init__.py": "from .utils import validate\nvalidate()\n", "rays/utils.py": newer };
    expect(await told(python, waves())).toEqual(["import-fails No module named 'old_waves'"]);
    expect(await told(python, waves("2.8.0"))).toEqual([]);
    expect(await told(python, { ...waves(), ...pure("old_waves", { "old_waves/__init__.py": "" }) })).toEqual([]);
  });

  test("in a part of what imports nothing itself", async () => {
    const part = "from rays import utils\nif fast():\n    from . import utils\n    utils.validate()\n";
    expect(await told({ "rays/__init__.py": "", "rays/Rays.py": part, "rays/utils.py": newer }, waves())).toEqual([
      "rays.Rays cannot be imported (No module named 'old_waves'), where Rays.py comes to that line: what it asks before is not known",
    ]);
  });
});
