import step from "../../../packages/core/src/log/causes/two-copies-told.ts";
import { holds } from "./holds.ts";

holds(step, [
  ["two-copies > library-shadowed > package-conflict", "Two versions of libcudart loaded into the same process"],
  ["two-copies > library-shadowed > package-conflict", "why does my process load both copies of libnccl?"],
]);
