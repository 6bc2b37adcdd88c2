// Names that a module has by a star from another one (`pandas.api.types`), and .pth files with code that may have to do with a module.
import { describe, expect, test } from "vitest";
import { glibcLoader } from "../loader/answers.ts";
import type { Files } from "../loader/tree.ts";
import { needs } from "../needs.ts";
import { site } from "./python-root.ts";
import { pure, told } from "./told.ts";

const loader = needs({ loader: glibcLoader !== undefined });
const waves = (init: string, more: { [path: string]: string } = {}): Files => pure("waves", { "waves/__init__.py": init, ...more });
const gone = [`import-fails cannot import name 'crest' from 'waves' (${site}/waves/__init__.py)`];
const rays = { "rays/__init__.py": "from waves import crest\n" };

describe("a name behind a star", loader, () => {
  test.each([
    ["of a part", "from .all import *\n", { "waves/all.py": "start = 1\n" }],
    ["of a part by its full name", "from waves.all import *\n", { "waves/all.py": "" }],
    [
      "of a part that has stars itself",
      "from .all import *\n",
      { "waves/all.py": "from .deep.more import *\n", "waves/deep/__init__.py": "", "waves/deep/more.py": "" },
    ],
    ["in a circle", "from .all import *\n", { "waves/all.py": "from waves import *\n" }],
  ])("that no text has, %s", async (_, init, more) => {
    expect(await told(rays, waves(init, more))).toEqual(gone);
  });

  test.each([
    ["is there", "from .all import *\n", { "waves/all.py": "crest = 1\n" }],
    ["is further in", "from .all import *\n", { "waves/all.py": "from .more import *\n", "waves/more.py": "def crest(): pass\n" }],
    ["may be made when it runs", "from .all import *\n", { "waves/all.py": "globals().update(more)\n" }],
    ["comes from what is not there", "from elsewhere import *\n", {}],
    ["is a part of what the star is of", "from .all import *\n", { "waves/all/__init__.py": "", "waves/all/crest.py": "" }],
    ["comes by a star in a block", "if fast:\n    from .all import *\n", { "waves/all.py": "" }],
  ])("that %s", async (_, init, more) => {
    expect(await told(rays, waves(init, more))).toEqual([]);
  });
});

describe("a .pth file with code", loader, () => {
  const hooked = (line: string, redirector: string): Files => ({
    [`${site}/_hook.pth`]: { text: line },
    [`${site}/_hook.py`]: { text: redirector },
  });
  const unknown = [
    "rays cannot be imported (cannot import name 'crest' from 'waves' (/venv/lib/python3.11/site-packages/waves/__init__.py)), unless _hook.pth brings that: what it runs when Python starts is not followed",
  ];

  test("has nothing to do with what the module that it imports does not name", async () => {
    expect(await told(rays, { ...waves("x = 1\n"), ...hooked("# of another package\nimport _hook\n", "import numba\n") })).toEqual(gone);
  });

  test("may bring what that names, and whatever a line of its own does", async () => {
    expect(await told(rays, { ...waves("x = 1\n"), ...hooked("import _hook\n", "import waves\n") })).toEqual(unknown);
    expect(await told(rays, { ...waves("x = 1\n"), ...hooked("import _hook; _hook.install()\n", "import numba\n") })).toEqual(unknown);
  });
});
