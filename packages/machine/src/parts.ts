/** What is large and not always needed, as in the core: the build makes a file of each import that stands here. */
export const parts = {
  image: async () => import("./target/image.ts"),
};
