import { cudnn } from "../../knowledge/texts/cudnn.generated.ts";
import { compareDotted } from "../../knowledge/dotted.ts";
import { folderOf } from "../../lib/path.ts";
import { weights, type Problem, type Suspect } from "../cause.ts";
import { majorOf } from "../context.ts";
import type { Fact, Facts } from "../fact.ts";
import { fix } from "../fixes.ts";
import { objectNamed, releaseText, type ObjectName } from "../objects.ts";

interface Linked {
  fact: Fact<"opened">;
  object: ObjectName;
}

/** What `ldd` shows of one program: every library with its place. What it does not find, the step of missing libraries explains. */
export default function linked(facts: Facts): Problem[] {
  const list = facts
    .all("opened")
    .filter(({ by }) => by === "ldd")
    .flatMap((fact): Linked[] => {
      // What auditwheel puts into a package has a digest in its name.
      const object = objectNamed(fact.name.replace(/-[\da-f]{8}(?=\.so)/, ""));
      return object === undefined ? [] : [{ fact, object }];
    });
  if (list.length === 0) return [];
  const lost = facts.all("not-found").some(({ by }) => by === "ldd");
  const faults = [...cudnnOfOtherCuda(list), ...twoReleases(list)];
  // One library alone fits whatever it wants.
  return 0 < faults.length ? faults : lost || list.length < 2 ? [] : [complete(list)];
}

const ofCuda = (list: Linked[]) => list.filter(({ object }) => object.cuda !== undefined);

// The CUDAs that any release of a major of cuDNN was made for.
const madeFor = (major: string): number[] =>
  cudnn()
    .releases.filter(({ version }) => majorOf(version) === major)
    .flatMap(({ cudaMajors }) => cudaMajors);

function cudnnOfOtherCuda(list: Linked[]): Problem[] {
  const main = list.find(({ object }) => object.stem === "libcudnn" && object.suffix !== "");
  const runtime = ofCuda(list).find(({ object }) => object.library === "cudart") ?? ofCuda(list)[0];
  if (!main || !runtime) return [];
  const major = majorOf(main.object.suffix);
  const made = madeFor(major);
  const [first, last] = [runtime.object.cuda!.first, runtime.object.cuda!.last].map((cuda) => Number(majorOf(cuda)));
  if (made.length === 0 || made.some((each) => first! <= each && each <= last!)) return [];
  const newest = Math.max(...made);
  const fitting = [...new Set(cudnn().releases.map(({ version }) => majorOf(version)))].filter((each) => madeFor(each).includes(first!));
  return [
    {
      weight: weights.said,
      suspects: [
        {
          cause: "library-wrong-version",
          name: main.object.name,
          library: "cudnn",
          required: `a cuDNN for ${releaseText(runtime.object) ?? runtime.object.name}${fitting.length === 0 ? "" : ` (cuDNN ${fitting.join(" or ")})`}`,
          found: `${main.fact.path} (cuDNN ${major}, made for CUDA ${newest} at most)`,
          certainty: "certain",
          message: `the program loads cuDNN ${major}, which was never made for CUDA ${first}, beside \`${runtime.object.name}\``,
          because: [
            `\`${main.object.name}\` is in ${folderOf(main.fact.path!)}, \`${runtime.object.name}\` in ${folderOf(runtime.fact.path!)}`,
            "the names are linked into the program: no path and no variable changes them",
          ],
          evidence: [main.fact, runtime.fact],
          next: [],
          fixes: [
            fix(
              `build the program again with one CUDA throughout: with headers and libraries of cuDNN ${fitting[0] ?? ""} for CUDA ${first}`,
            ),
            fix(`or with CUDA ${newest}, for which cuDNN ${major} was made`),
          ],
        },
      ],
    },
  ];
}

/** Two names of one library, or libraries that no single release of CUDA has. */
function twoReleases(list: Linked[]): Problem[] {
  for (const [index, one] of list.entries()) {
    const other = list.slice(index + 1).find((each) => each.object.stem === one.object.stem && each.fact.name !== one.fact.name);
    if (other)
      return [
        mixture(
          "two-copies",
          one,
          other,
          `two ${one.object.suffix === other.object.suffix ? "copies" : "releases"} of ${one.object.title} are loaded into one process`,
        ),
      ];
  }
  const cuda = ofCuda(list);
  const main = cuda.find(({ object }) => object.library === "cudart") ?? cuda[0];
  const apart = main && cuda.find(({ object }) => !overlap(main.object, object));
  if (!main || !apart) return [];
  return [
    mixture(
      "library-wrong-version",
      apart,
      main,
      `\`${apart.object.name}\` is of ${releaseText(apart.object)}, and \`${main.object.name}\` of ${releaseText(main.object)}`,
    ),
  ];
}

const overlap = ({ cuda: a }: ObjectName, { cuda: b }: ObjectName) =>
  compareDotted(a!.first, b!.last) <= 0 && compareDotted(b!.first, a!.last) <= 0;

function mixture(cause: Suspect["cause"], one: Linked, other: Linked, message: string): Problem {
  return {
    weight: weights.refused,
    suspects: [
      {
        cause,
        name: one.object.name,
        library: one.object.library,
        required: "libraries of one CUDA release",
        found: `${one.fact.path} and ${other.fact.path}`,
        certainty: "likely",
        message,
        evidence: [one.fact, other.fact],
        next: [],
        fixes: [fix("build the program, and the libraries that it is linked with, against one CUDA release")],
      },
    ],
  };
}

function complete(list: Linked[]): Problem {
  const places = [...new Set(list.map(({ fact }) => folderOf(fact.path!)))];
  return {
    weight: weights.harmless + 2,
    suspects: [
      {
        cause: "not-a-mismatch",
        name: "ldd",
        certainty: "likely",
        message: `every GPU library in this list is found, and their releases fit each other`,
        because: [
          ...places.slice(0, 4).map((place) => {
            const here = list.filter(({ fact }) => folderOf(fact.path!) === place).map(({ object }) => object.name);
            return `${here.join(", ")} from ${place}`;
          }),
          "ldd shows what is linked, and not what the program opens while it runs (parts of cuDNN, NVRTC, the driver)",
        ],
        evidence: list.slice(0, 4).map(({ fact }) => fact),
        next: ["`culprit loads` with the program shows both"],
        fixes: [],
      },
    ],
  };
}
