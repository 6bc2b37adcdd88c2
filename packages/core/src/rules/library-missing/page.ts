import { describeRule } from "../rule.ts";

export default describeRule({
  id: "library-missing",
  title: "A library is not installed anywhere",
  cause: "library-missing",
  severity: "error",
  page: {
    what: "A program asks for a library under an exact name, and no file of that name was found on the machine.",
    why: "Names carry the version: `libcupti.so.11.2` is not satisfied by `libcupti.so.11.7`. A framework's wheel that does not bring its libraries, or an installation without its CUDA extra, leaves them to chance.",
    how: "The loader's search is replayed path by path, and every copy of every known library on the machine is listed; none has that name.",
    fix: "Install the package that brings that very name. Do not link another version under it.",
    observed: "On an H200 with single libraries moved away; with real wheels on a machine without a GPU.",
  },
});
