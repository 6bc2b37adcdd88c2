// What each rule says at worst and for which causes, written down a second time: every finding that a scenario of tests/ meets is held
// against it, so that a rule cannot change its cause or severity unnoticed.
import { causes, type Cause } from "../../packages/core/src/model/cause.ts";
import { severities, type Finding, type Severity } from "../../packages/core/src/model/finding.ts";

/** Worst severity, the rule's own cause, and those that single findings have instead. */
export const expectedRules: { [rule: string]: [worst: Severity, cause: Cause, ...others: Cause[]] } = {
  "activity-stops": ["error", "library-wrong-version"],
  "another-index-wins": ["warning", "wrong-wheel-cuda-version"],
  "built-for-another-cuda": ["warning", "wrong-wheel-cuda-version"],
  "built-for-another-release": ["error", "library-wrong-version"],
  "built-for-another-vendor": ["error", "wrong-vendor"],
  "chosen-by-variable": ["error", "library-wrong-version"],
  "colab-magic-removed": ["error", "package-conflict"],
  "compat-on-wrong-gpu": ["error", "forward-compat-misuse"],
  "compiler-missing": ["error", "cuda-home-wrong", "package-conflict"],
  "compiler-too-old-for-gpu": ["error", "toolkit-too-old"],
  "cpu-only-build": ["error", "wrong-wheel-cpu-only"],
  "cuda-home-wrong": ["warning", "cuda-home-wrong"],
  "cudnn-parts-from-two-releases": ["error", "mixed-cudnn-sublibraries"],
  "cupti-missing": ["error", "library-missing", "library-not-on-path", "library-wrong-version"],
  "cupti-of-another-toolkit": ["error", "library-wrong-version"],
  "cupti-too-old": ["error", "cupti-too-old-for-driver"],
  "driver-in-image": ["warning", "kernel-module-mismatch"],
  "driver-library-mismatch": ["error", "kernel-module-mismatch", "forward-compat-misuse"],
  "driver-not-exposed": ["error", "driver-not-exposed"],
  "driver-parts-mismatch": ["warning", "kernel-module-mismatch"],
  "driver-too-old": ["error", "driver-too-old"],
  "gpu-not-in-build": ["error", "arch-unsupported"],
  "gpus-hidden": ["error", "not-a-mismatch"],
  "harmful-step": ["warning", "library-wrong-version"],
  "headers-of-another-release": ["warning", "library-wrong-version"],
  "host-compiler-too-new": ["warning", "toolkit-too-old"],
  "image-build-replaced": ["error", "package-conflict"],
  "import-fails": ["error", "package-conflict"],
  "interpreter-shadowed": ["error", "library-shadowed"],
  "kernel-module-missing": ["error", "kernel-module-missing"],
  "kernels-compiled-at-start": ["warning", "arch-unsupported"],
  "known-bad-combination": ["error", "upstream-bug"],
  "libdevice-missing": ["warning", "library-missing"],
  "library-damaged": ["error", "library-damaged"],
  "library-dropped-gpu": ["error", "arch-unsupported"],
  "library-missing": ["error", "library-missing"],
  "library-not-on-path": ["error", "library-not-on-path"],
  "library-only-from-toolkit": ["error", "library-not-on-path"],
  "library-path-malformed": ["error", "library-not-on-path"],
  "library-replaced": ["error", "library-wrong-version"],
  "library-replaced-while-running": ["warning", "library-wrong-version"],
  "library-shadowed": ["error", "library-shadowed"],
  "library-wrong-version": ["error", "library-wrong-version"],
  "no-conda-build": ["error", "package-conflict"],
  "no-such-package": ["error", "package-conflict"],
  "no-wheel-for-python": ["error", "wrong-wheel-platform"],
  "numpy-too-new": ["error", "package-conflict"],
  "open-module-needed": ["error", "arch-unsupported"],
  "packages-overwrite-each-other": ["error", "package-conflict"],
  "no-wheel-for-musl": ["error", "wrong-wheel-platform"],
  "pip-refused": ["error", "package-conflict"],
  "pins-not-met": ["error", "package-conflict"],
  "process-differs-from-foreseen": ["info", "library-shadowed"],
  "profiler-permission": ["warning", "profiler-permission"],
  "profiler-plugin-versions": ["warning", "profiler-plugin-version"],
  "ptx-newer-than-driver": ["error", "ptx-newer-than-driver"],
  "recorded-failure": ["error", "library-wrong-version", ...causes],
  "refused-line": ["error", "package-conflict"],
  "requirements-clash": ["error", "package-conflict"],
  "restart-needed": ["warning", "package-conflict"],
  "second-profiler": ["error", "profiler-conflict"],
  "set-too-late": ["warning", "library-not-on-path"],
  "slow-convolutions": ["warning", "library-missing"],
  "stub-driver": ["error", "stub-library"],
  "toolkit-folder-absent": ["warning", "library-not-on-path"],
  "toolkit-differs-from-framework": ["error", "toolkit-vs-framework-at-build"],
  "two-copies": ["warning", "two-copies"],
  "two-installs": ["info", "two-copies"],
  "version-not-published": ["error", "package-conflict", "wrong-wheel-cuda-version"],
  "wheel-files-missing": ["error", "library-missing"],
  "wsl-profiling": ["error", "profiler-platform-unsupported"],
};

/** The same findings; an error where one is not as expected. */
export function asExpected<Found extends Finding>(findings: Found[]): Found[] {
  for (const { rule, cause, severity, message } of findings) {
    const expected = expectedRules[rule];
    if (!expected) throw new Error(`${rule} is not in tests/rules/expected.ts`);
    const [worst, ...known] = expected;
    if (!known.includes(cause)) throw new Error(`${rule} blames ${cause}, and not ${known.join(" or ")}: ${message}`);
    if (severities.indexOf(severity) < severities.indexOf(worst))
      throw new Error(`${rule} is ${severity}, worse than ${worst}: ${message}`);
  }
  return findings;
}
