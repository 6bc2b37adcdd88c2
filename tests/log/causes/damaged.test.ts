import step from "../../../packages/core/src/log/causes/damaged.ts";
import { holds } from "./holds.ts";

holds(step, [
  ["library-damaged", "OSError: /usr/lib/libcudnn.so.8: file too short"],
  ["library-damaged", "OSError: /usr/lib/libcudnn.so.8: invalid ELF header"],
  ["library-damaged > wrong-wheel-platform", "OSError: /usr/lib/libcuda.so.1: wrong ELF class: ELFCLASS32"],
  ["library-damaged > wrong-wheel-platform", "OSError: /opt/libcudart.so.12: ELF file data encoding not little-endian"],
  ["library-damaged > not-a-mismatch", "Bus error (core dumped)"],
]);
