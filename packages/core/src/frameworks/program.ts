import { builtAgainst } from "../survey/built-against.ts";
import { libraryOf } from "../knowledge/libraries.ts";
import type { Failure, Loads } from "../model/loads.ts";
import { describeLoads } from "../resolve/loads.ts";
import type { Process } from "../resolve/process.ts";
import { startProgram } from "../resolve/start.ts";
import { lackedAtFirstCall } from "../resolve/symbols.ts";
import type { View } from "../resolve/view.ts";
import { driverFailure, driverProblem } from "./driver.ts";
import { cudnnPart, needCudnnPart } from "./library-habits.ts";
import { kernelsIn } from "./kernels.ts";
import { runningProcess, Stop } from "./running-process.ts";

/**
 * What a program of one's own loads: certain for its start and the initialisation of its libraries, possible beyond.
 * While `view.needs` is not empty the answer is not whole.
 */
export function programLoads(view: View, path: string): Loads {
  view.needs.clear();
  const started = startProgram(view, path);
  if (started === undefined || "refused" in started) return describeLoads(view, path, started);
  const { process } = started;
  const before = process.loads.length;
  if (process.failures.length === 0) goOn(view, process);
  for (const load of process.loads.slice(before)) load.activity = "device";
  return withBuild(view, process, describeLoads(view, path, started));
}

/**
 * The same, asked whether it would get to work: with a cuDNN that cannot begin, or without a driver that answers, it would not. Not
 * `usesGpu`: it starts, and nothing of a GPU is in it or among what it loads.
 */
export function tryProgram(view: View, path: string): { loads: Loads; failures: Failure[]; usesGpu: boolean } {
  view.needs.clear();
  const started = startProgram(view, path);
  if (started === undefined || "refused" in started) {
    const loads = describeLoads(view, path, started);
    return { loads, failures: loads.failures, usesGpu: true };
  }
  const { process } = started;
  const failures = [...process.failures];
  if (failures.length === 0) {
    failures.push(...endsAtCall(process));
    try {
      const running = runningProcess(view, process);
      process.activity = "device";
      running.possibly(() => {
        // What nvcc links has the CUDA runtime inside, which asks for the driver as the shared one does.
        const user =
          process.objects.find(({ file }) => usesDriver.has(libraryOf(file)?.id ?? "")) ??
          (kernelsIn(view, process.executable.file) ? process.executable : undefined);
        if (user) running.ladder(user, ["libcuda.so.1"]);
        const problem = user && driverProblem(running);
        if (problem && !process.pending) failures.push(driverFailure(running, path, problem));
        if (running.loadedLike("libcudnn.so.9")) needCudnnPart(running, path, "graph");
      });
    } catch (error) {
      if (!(error instanceof Stop)) throw error;
      failures.push(process.failures.pop()!);
    }
  }
  const loads = withBuild(view, process, describeLoads(view, path, started));
  // Of one that does not start, nobody saw all that it asks for.
  const usesGpu =
    0 < failures.length ||
    [...loads.loads, ...loads.missed].some(({ name }) => libraryOf(name) !== undefined) ||
    kernelsIn(view.wishing, process.executable.file) !== undefined;
  return { loads, failures, usesGpu };
}

/** A program is linked only where all that it calls is there: what its libraries lack by now is of another release. */
function endsAtCall(process: Process): Failure[] {
  const { executable, pending } = process;
  const lacked = pending ? undefined : lackedAtFirstCall(process, executable, executable.scope ?? []);
  if (!lacked) return [];
  return [{ ...lacked, activity: "device", supposed: true, message: `${lacked.requestedBy}: symbol lookup error: ${lacked.message}` }];
}

function withBuild(view: View, { objects }: Process, answer: Loads): Loads {
  // What a build does not tell keeps no answer waiting.
  const { against, build } = builtAgainst(view.wishing, objects, kernelsIn(view.wishing, answer.program.file) !== undefined);
  if (0 < Object.keys(against).length) answer.program.builtAgainst = against;
  if (build) {
    const { folder, cmake, libraries } = build;
    answer.program.build = { folder, ...(cmake ? { cmake } : {}), libraries };
  }
  return answer;
}

/** Libraries that are of no use without a GPU. */
const usesDriver = new Set([
  "cudart",
  "cudnn",
  "cublas",
  "cublaslt",
  "cufft",
  "curand",
  "cusolver",
  "cusparse",
  "nccl",
  "tensorrt",
  "libcuda",
]);

function goOn(view: View, process: Process): void {
  let started = false;
  try {
    const running = runningProcess(view, process);
    started = true;
    // The first call of any function of cuDNN 9 brings its graph library in.
    running.possibly(() => cudnnPart(running, "graph"));
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
    // A program that never calls cuDNN does not meet what would end it there: that is no failure of its start.
    if (started) process.missed.push(process.failures.pop()!);
  }
}
