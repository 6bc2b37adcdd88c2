import { weights, type Problem } from "../cause.ts";
import { type Context } from "../context.ts";
import type { Facts } from "../fact.ts";
import { fix, torchFix } from "../fixes.ts";
import { cpuOnly } from "../meaning.ts";

/** A PyTorch that was built without CUDA, where a GPU is wanted. */
export default function torchWithoutCuda(facts: Facts, context: Context): Problem[] {
  const problems: Problem[] = [];
  const torch = context.framework("torch");
  const said = facts.notices("torch-without-cuda");
  const cpuFacts = torch.facts.filter((fact) => fact.cpuOnly);
  // A CPU build is a fault only where someone wants a GPU.
  const wanted =
    facts.has("gpu") ||
    facts.all("available").some(({ by, value }) => by === "torch" && !value) ||
    facts.has("driver") ||
    facts.has("toolkit");
  const withoutGpu = cpuOnly("torch", describeTorch(torch.version, context), [...said, ...cpuFacts], "certain", [torchFix(context)]);
  if (0 < said.length && facts.on("macos"))
    problems.push({
      weight: weights.said,
      suspects: [
        {
          cause: "wrong-vendor",
          name: "macOS",
          required: "an NVIDIA GPU, or a program that asks for the Mac's own",
          found: "a Mac",
          certainty: "likely",
          message:
            "PyTorch for macOS has no CUDA, as Macs have no NVIDIA GPU: the program asks for `cuda` where it should ask for `mps` or `cpu`",
          evidence: said,
          next: [],
          fixes: [fix("choose the device that is there: `torch.device('mps' if torch.backends.mps.is_available() else 'cpu')`")],
        },
        { ...withoutGpu, certainty: "possible" },
      ],
    });
  else if (0 < said.length) problems.push({ weight: weights.said, suspects: [withoutGpu] });
  else if (0 < cpuFacts.length && wanted)
    problems.push({
      weight: weights.concluded + 2,
      suspects: [cpuOnly("torch", torch.version ?? "a build without CUDA", cpuFacts, "likely", [torchFix(context)])],
    });
  else if (0 < cpuFacts.length)
    problems.push({
      weight: weights.hint,
      suspects: [cpuOnly("torch", torch.version ?? "a build without CUDA", cpuFacts, "possible", [torchFix(context)])],
    });
  return problems;
}

function describeTorch(version: string | undefined, context: Context): string {
  const wheelFile = context.packages(/^torch$/).find(({ manager, build }) => manager === "wheel" && build !== undefined);
  return wheelFile ? `torch ${wheelFile.version} for ${wheelFile.build}, a wheel without CUDA` : (version ?? "a build without CUDA");
}
