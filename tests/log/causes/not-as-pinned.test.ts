import step from "../../../packages/core/src/log/causes/not-as-pinned.ts";
import { holds } from "./holds.ts";

holds(step, [["package-conflict", "torch==2.4.0\nnvidia-cudnn-cu12==8.9.2.26"]]);
