import step from "../../../packages/core/src/log/causes/known-bad.ts";
import { holds } from "./holds.ts";

holds(step, [
  [
    "upstream-bug",
    "TensorFlow 2.16.1\nCannot dlopen some GPU libraries. Please make sure the missing libraries mentioned above are installed properly.\nSkipping registering GPU devices...",
  ],
]);
