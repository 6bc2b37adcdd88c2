// A small root whose torch would load parts of an old cuDNN, from a folder that can have any name.
import { cudnn, cudnnParts, torch, triton } from "../diagnose/python-stack.ts";
import { library, module } from "../frameworks/python-root.ts";
import { makeElf } from "../loader/make-elf.ts";
import { addLoader } from "../loader/roots.ts";
import { build, type Files } from "../loader/tree.ts";

const parts = ["libcudnn", ...cudnnParts.map((part) => `libcudnn_${part}`)];

export function torchTree(tree: string, folder: string, more: Files = {}): void {
  build(tree, {
    "/usr/lib/python3.11/lib-dynload/_ctypes.so": module(),
    "/usr/bin/python3.11": makeElf({ program: true }),
    "/opt/other": { folder: true },
    "/opt/more": { folder: true },
    ...torch(),
    ...cudnn("9.1.0.70"),
    ...triton("3.2.0"),
    "/venv/bin/python3": { link: "/usr/bin/python3.11" },
    "/venv/pyvenv.cfg": { text: "home = /usr/bin\nversion = 3.11.2\n" },
    ...Object.fromEntries(
      parts.flatMap((name) => [
        [`${folder}/${name}.so.9.0.0`, library(`${name}.so.9`)],
        [`${folder}/${name}.so.9`, { link: `${name}.so.9.0.0` }],
      ]),
    ),
    "/etc/profile.d/cuda.sh": { text: `# comment\nexport LD_LIBRARY_PATH="/opt/other:${folder}:/opt/more"\n# end\n` },
    ...more,
  });
  addLoader(tree);
}

/** What makes that tree's torch fail. */
export const shadowing = (folder: string) => ["--python", "/venv", "--env", `LD_LIBRARY_PATH=/opt/other:${folder}:/opt/more`];
