/** What is large and not always needed, as in the core: the build makes a file of each import that stands here. */
export const parts = {
  /** The server for coding agents, with its SDK. */
  mcp: async () => import("./mcp/part.ts"),
  /** Tells a fleet server what is here. */
  push: async () => import("./push/part.ts"),
};
