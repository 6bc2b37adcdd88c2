import { libraryOf } from "../../knowledge/libraries.ts";
import { nameOf } from "../../lib/path.ts";
import { weights, type Problem } from "../cause.ts";
import type { Fact, Facts } from "../fact.ts";
import { containerOption, fix } from "../fixes.ts";

const words = {
  "too-short": "is empty or cut off",
  "not-elf": "is no ELF file (a text, a link that was copied as a file, or a page that was downloaded instead)",
  "wrong-class": "is for another word size (32 or 64 bits)",
  "wrong-machine": "is for another processor",
  "wrong-system": "is for another operating system",
};

/** Machines with 32-bit programs have a second libcuda, and who looks in all folders meets it: only an error that ends a program counts. */
const isPassedOver = ({ reason, file, at }: Fact<"damaged">): boolean =>
  reason === "wrong-class" &&
  ["libcuda", "nvml"].includes(libraryOf(nameOf(file))?.id ?? "") &&
  !/\b(?:OSError|ImportError|error while loading shared libraries|[Cc]ould not load library|dlopen)\b|^\W{0,4}Error: /.test(at.text);

/** A file that answers, and is no library that can be loaded. */
export default function damaged(facts: Facts): Problem[] {
  const problems: Problem[] = facts
    .all("damaged")
    .filter((fact) => !isPassedOver(fact))
    .map((fact) => {
      const name = nameOf(fact.file.replaceAll("\\", "/"));
      const library = libraryOf(name)?.id;
      return {
        weight: weights.said,
        suspects: [
          {
            cause: "library-damaged" as const,
            name,
            ...(library === undefined ? {} : { library }),
            required: "an intact file",
            found: `${fact.file} ${words[fact.reason]}`,
            certainty: "certain" as const,
            message: `\`${fact.file}\` ${words[fact.reason]}`,
            evidence: [fact],
            next: [`ls -lL ${fact.file}; file -L ${fact.file}`],
            fixes: [fix("install the package that brings it again")],
          },
          ...(fact.reason.startsWith("wrong")
            ? [
                {
                  cause: "wrong-wheel-platform" as const,
                  name,
                  certainty: "possible" as const,
                  message: "or the package is for another platform",
                  evidence: [fact],
                  fixes: [],
                },
              ]
            : []),
        ],
      };
    });
  const bus = facts.notices("bus-error");
  if (0 < bus.length && !facts.has("damaged") && facts.notices("shared-memory").length === 0)
    problems.push({
      weight: weights.hint,
      suspects: [
        {
          cause: "library-damaged",
          certainty: "possible",
          message: "a bus error while a program starts is what a library gives that was cut off, on disk or while it was being replaced",
          evidence: bus,
          next: ["`culprit loads` with the program names every file that it would load, and those that are damaged"],
          fixes: [fix("install the packages of the program again, and look for a full disk")],
        },
        {
          cause: "not-a-mismatch",
          name: "memory",
          certainty: "possible",
          message: "or shared memory ran out: containers have 64 MB of /dev/shm unless told otherwise",
          evidence: bus,
          next: ["df -h /dev/shm"],
          fixes: [containerOption("give the container more shared memory", "--shm-size=8g")],
        },
      ],
    });
  return problems;
}
