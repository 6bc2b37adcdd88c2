/** Where was looked, without saying its name. */
export const targetKinds = {
  machine: "this machine",
  root: "a root folder",
  process: "a running process",
  image: "a container image",
  host: "another host",
  declaration: "a dependency file",
};
