import type { Draft } from "../fact.ts";
import type { Frame } from "../frame.ts";
import { not, sentencesOf, titles, type Sentence } from "../sentence.ts";

const works =
  /\b(?:works?|worked|working|runs?|ran|fine|succeeds?|succeeded|passes|okay|OK|is (?:seen|found|detected|there)|solved|fixed)\b/i;
const searchPath = /\bLD_LIBRARY_PATH\b/;
const away =
  /\b(?:unset(?:ting)?|without|clear(?:ed|ing)?|remov(?:e|ed|ing)|empty(?:ing)?|emptied|drop(?:ped|ping)?|comment(?:ed|ing)? out)\b/i;
const root = /\b(?:sudo|root|administrator)\b/i;
const ofRocm = /\b(?:rocminfo|rocm-smi|rocm|hip|clinfo|kfd|radeon|amd)\b/i;
const asUser =
  /\b(?:normal|ordinary|regular|my|own|non-root|unprivileged) user\b|\bwithout (?:sudo|root)\b|\bonly (?:with|as|under|when)\b|\bonly\b/i;
const profiling = /\b(?:nsys|ncu|nsight|nvprof|CUPTI|profil(?:e|er|ing))\b/i;
const profilers = /\b(?:nsys|ncu|nsight|nvprof|compute-sanitizer)\b/i;
const ownProfiler =
  /\btorch\.(?:autograd\.)?profiler\b|\b(?:py)?torch(?:['’]s)? profiler\b|\bkineto\b|\btf\.profiler\b|\bjax\.profiler\b|\bjax(?:['’]s)? profiler\b|\btensorboard(?:['’]s)? (?:profiler|callback)\b|\btensorflow(?:['’]s)? profiler\b/i;
const beside = /\b(?:under|inside|within|with|beside|alongside|together|wrapped|at the same time|same time|both)\b/i;
const smi = /\bnvidia-smi\b/i;
const broke =
  /\b(?:stopped working|no longer works?|does(?: not|n['’]t) work (?:any ?more|any longer)|does(?: not|n['’]t) work since|suddenly (?:fails?|stopped|does)|broke(?:n)?|is gone)\b/i;
const updated =
  /\b(?:apt|apt-get|yum|dnf|pacman|zypper|unattended|upgrade[sd]?|upgrading|updated?s?|updating|new kernel|kernel update|security patches)\b/i;
const mig = /\bMIG\b/;
const virtual = /\bvGPU\b|\bGRID\b|\bgrid_\w+|\bVMware\b|\bvSphere\b|\bProxmox\b|\bvirtual (?:GPU|machine)\b|\bVM\b/;
const counters = /\b(?:profil(?:e|er|ers|ing)|ncu|nsight compute|metrics|counters)\b/i;
const host = /\bhost\b/i;

type Way = (sentence: Sentence, whole: string) => Draft[];

/** "without LD_LIBRARY_PATH it works": what lies in its folders is what breaks it. */
const fresh = /\b(?:fresh|new|clean|other|another|different) (?:terminal|shell|session|login|window|tab)\b/i;
const ofPath: Way = ({ near, find }) =>
  ((near(60, away, searchPath) && near(110, works, searchPath)) || (near(160, fresh, searchPath) && near(40, fresh, works))) &&
  !near(24, not, works)
    ? [{ kind: "notice", id: "said-shadowed", subject: find(titles)?.["title"]?.toLowerCase() ?? "any" }]
    : [];

// "after removing that variable things go back to normal": which variable, another line says.
const variable = /\b(?:(?:environment )?variables?|LD_LIBRARY_PATH|settings?|exports?)\b/i;
const again = /\b(?:back to normal|works? again|worked again|is (?:fine|ok|gone|solved|fixed)|works?|disappear(?:s|ed)?)\b/i;
const ofVariable: Way = ({ near }, whole) =>
  near(50, away, variable) && again.test(whole) && !/\b(?:not|n['’]t|never) (?:help|work|change|fix|solve)/i.test(whole)
    ? [{ kind: "notice", id: "works-without-variable" }]
    : [];

const ofRoot: Way = ({ near, has }, whole) =>
  near(70, root, works) && (near(60, asUser, root) || asUser.test(whole)) && ofRocm.test(whole) && !has(counters)
    ? [{ kind: "notice", id: "only-as-root" }]
    : [];

// "If no kernel is shown, run it as root": somebody's advice.
const advice = /\b(?:if|when|unless) (?!I\b|we\b)|\byou (?:can|may|should|must|need)\b/i;

// With root's rights the same profile has what it lacks without.
const ofRights: Way = ({ near, has }, whole) =>
  !has(advice) &&
  near(60, root, works) &&
  profiling.test(whole) &&
  (asUser.test(whole) || /\bno\b/i.test(whole) || not.test(whole)) &&
  !has(/\bsudo (?:apt|pip|docker)\b|\b(?:even|also|neither|still) (?:with|as|using)\b/i)
    ? [{ kind: "notice", id: "profiling-rights-said" }]
    : [];

const ofTwoProfilers: Way = ({ near, has }) =>
  near(120, ownProfiler, profilers) &&
  near(40, beside, profilers) &&
  (has(not) || has(/\b(?:no|nothing|none|empty|missing|crash\w{0,3}|hang\w{0,3})\b/i))
    ? [{ kind: "notice", id: "two-profilers-told" }]
    : [];

const ofUpdate: Way = ({ near }, whole) =>
  near(60, smi, broke) && updated.test(whole) && !/\bdocker|container|WSL\b/i.test(whole)
    ? [{ kind: "notice", id: "smi-broke-after-update" }]
    : [];

// Counters of a part of a GPU, and of a virtual one.
const ofPart: Way = ({ near, has }, whole) =>
  has(counters) && near(90, not, counters) && !has(host)
    ? mig.test(whole)
      ? [{ kind: "cupti-error", name: "MIG_DEVICE_NOT_SUPPORTED" }]
      : virtual.test(whole)
        ? [{ kind: "cupti-error", name: "VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES" }]
        : []
    : [];

const ways: Way[] = [ofTwoProfilers, ofPath, ofVariable, ofRights, ofRoot, ofUpdate, ofPart];

/** Somebody tells with what it works and with what not: one difference, which says more than the failure itself. */
export default {
  id: "people-tell-contrasts",
  beside: true,
  literals: [
    "ld_library_path",
    "variable",
    "sudo",
    "root",
    "nsys",
    "ncu",
    "nsight",
    "nvprof",
    "sanitizer",
    "nvidia-smi",
    "mig",
    "vgpu",
    "grid",
    "vmware",
  ],
  examples: [
    "If I unset LD_LIBRARY_PATH my training works",
    "rocminfo works with sudo only",
    "torch.profiler records no cuda kernels as soon as I start the script under nsys",
    "nvidia-smi stopped working this morning, apt had done unattended upgrades over night",
    "On a MIG slice the profiler says it can't collect metrics",
  ],
  read: (text) => sentencesOf(text).flatMap((sentence) => ways.map((way) => way(sentence, text)).find((drafts) => 0 < drafts.length) ?? []),
} satisfies Frame;
