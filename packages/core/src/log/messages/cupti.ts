import { errorNumbered } from "../../knowledge/error-codes.ts";
import type { Draft } from "../fact.ts";
import { notice, type Groups, type Signature } from "../signature.ts";

function numbered({ code }: Groups): Draft | undefined {
  const row = errorNumbered("CUptiResult", Number(code));
  return row === undefined || row.code === 0 ? undefined : { kind: "cupti-error", name: row.name.replace("CUPTI_ERROR_", "") };
}

/** CUPTI's results, by name and by number, in the words of TensorFlow, XLA, Kineto, Paddle and Nsight. */
export default [
  {
    // Kineto gives a hint with this name after any other failure: that is no failure.
    literals: ["cupti_error_"],
    pattern: /(?<!If you see )CUPTI_ERROR_(?<name>[A-Z_]{4,60})/,
    examples: [
      "E tensorflow/core/profiler/internal/gpu/cupti_tracer.cc:1415] function cupti_interface_->Subscribe( &subscriber_, (CUpti_CallbackFunc)ApiCallback, this)failed with error CUPTI_ERROR_INSUFFICIENT_PRIVILEGES",
      "WARNING:2024-01-01 00:00:00 100:100 init.cpp:155] function cbapi->getCuptiStatus() failed with error CUPTI_ERROR_NOT_INITIALIZED (15)",
    ],
    facts: ({ name }) => ({ kind: "cupti-error", name: name! }),
  },
  {
    literals: ["cupti"],
    pattern:
      /(?:cupti[A-Z]\w{2,50}\)?(?:\([^\n]{0,160}\))?|CUPTI(?: call| error)?|cupti_interface_->\w{2,40}\([^\n]{0,160}\))[^\n\w]{0,4}(?: ?failed with| ?returned)?(?: with)?:? ?(?:error|status|code|result)(?: code)?:? {0,2}[(=]?(?<code>\d{1,3})\b/i,
    examples: [
      "cuptiGetTimestamp: error 999:",
      "cuptiSubscribe failed with error code 39",
      "CUPTI error: 35",
      "Error: function (*cuptiProfilerBeginSessionPtr)(&beginSessionParams) failed with error 35.",
    ],
    facts: numbered,
  },
  {
    literals: ["initialize cupti"],
    pattern: /[Ff]ailed to initialize CUPTI: (?<code>\d{1,3})\b/,
    examples: ['C++ exception with description "Failed to initialize CUPTI: 39" thrown in the test body.'],
    facts: numbered,
  },
  {
    literals: ["cuptigettimestamp"],
    pattern: /cuptiGetTimestamp: (?:ignored due to a previous error|error)/,
    examples: ["cuptiGetTimestamp: ignored due to a previous error."],
    facts: () => ({ kind: "notice", id: "cupti-timestamp" }),
  },
  notice(
    "libcupti-not-loaded",
    "failed to load libcupti",
    /Failed to load libcupti \(is it installed and accessible\?\)/,
    "Failed to load libcupti (is it installed and accessible?)",
  ),
  notice(
    "libcupti-not-loaded",
    "cupti could not be loaded",
    /CUPTI could not be loaded or symbol could not be found/,
    "CUPTI could not be loaded or symbol could not be found.",
  ),
  notice(
    "cupti-privilege",
    "insufficient privilege to run libcupti",
    /Insufficient privilege to run libcupti/,
    "Insufficient privilege to run libcupti (you need root permission).",
  ),
] satisfies Signature[];
