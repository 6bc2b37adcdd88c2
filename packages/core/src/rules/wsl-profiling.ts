import { compareDotted } from "../knowledge/dotted.ts";
import { cuptiWords, profileOf, profilers, recordingFacts, recordings, toolkitWords } from "../diagnose/cupti.ts";
import type { Draft } from "../model/finding.ts";
import { defineMachineRule } from "./rule.ts";
import { programName } from "../diagnose/words.ts";

/** The first CUPTI that traces under WSL 2; counters came with 12.0, a driver of 525 and Windows 11. */
const tracesSince = "11.5";

export default defineMachineRule({
  id: "wsl-profiling",
  title: "Profiling under WSL 2 has limits",
  cause: "profiler-platform-unsupported",
  severity: "error",
  notOn: { "dependency-file": "the kernel is the host's", image: "the kernel is the host's" },
  page: {
    what: "This is Linux under Windows (WSL 2), where CUPTI can do less than on Linux itself.",
    why: "The driver is that of Windows, behind a narrow door. CUPTI records timelines there since CUDA 11.5; its profiling API (counters) since 12.0, with a Windows driver of 525 or newer and Windows 11. PM sampling and the periodic sampler are refused. What Windows allows is set in the NVIDIA Control Panel (Developer, Manage GPU Performance Counters), not in modprobe.d.",
    how: "/usr/lib/wsl or the kernel's name shows WSL; the toolkit of the libcupti that would record is compared with 11.5.",
    fix: "Use a framework built for CUDA 11.5 or newer, and keep the Windows driver new. For counters and samplers, work on Linux itself or on Windows.",
    observed:
      "We could not observe it. CUPTI's release notes are the source, and reports of empty GPU rows under WSL 2 with every version.",
  },
  finds(stack) {
    if (!stack.inventory.driver.wsl) return [];
    const asked = stack.askedActivities.includes("profile");
    const early = recordings(stack).filter(({ toolkit }) => toolkit && compareDotted(toolkit.newest.cuda, tracesSince) < 0);
    const refused = early.map((recording): Draft => ({
      subject: recording.load.file,
      certainty: "likely",
      short: `under WSL 2 this CUPTI does not trace kernels`,
      message: `under WSL 2 the profile of ${programName(recording.run, recording.program.id)} would hold nothing of the GPU: CUPTI of ${toolkitWords(recording.toolkit!)} does not trace there`,
      because: [`CUPTI traces under WSL 2 since CUDA ${tracesSince}`],
      evidence: [cuptiWords(stack, recording)],
      advice: [`install a build of ${recording.program.id} for CUDA ${tracesSince} or newer`],
      facts: recordingFacts(recording),
      breaks: [profileOf(recording.program)],
      sources: [notes],
    }));
    if (0 < refused.length) return refused;
    const programs = profilers(stack).map(({ program }) => program);
    if (programs.length === 0) return [];
    return [
      {
        subject: "WSL 2",
        severity: asked ? "warning" : "info",
        certainty: "possible",
        short: "under WSL 2 profiles may lack the GPU",
        message: "under WSL 2 timelines of kernels may be recorded or not; counters and samplers are not available",
        because: ["the driver is that of Windows; people report profiles without a GPU row there with every release"],
        evidence: ["/usr/lib/wsl, or the kernel's name"],
        advice: [
          "keep the Windows driver new; allow the counters to all users in the NVIDIA Control Panel (Developer, Manage GPU Performance Counters)",
          "where the GPU row stays empty, take the profile on Linux itself",
        ],
        ...(asked ? { endangers: programs.map(profileOf) } : {}),
        sources: [notes, "https://github.com/pytorch/pytorch/issues/99615", "https://github.com/tensorflow/tensorflow/issues/61210"],
      },
    ];
  },
});

const notes = "https://docs.nvidia.com/cupti/release_notes.html (CUDA 11.5 and 12.0)";
