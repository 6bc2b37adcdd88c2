/** Reports for programs that read lines: a terminal in CI, GitHub, and whatever reads JUnit's XML. */
export const reportFormats = ["concise", "github", "junit"] as const;
export type ReportFormat = (typeof reportFormats)[number];
