/** `culprit.json`: what a project has looked at and lives with. */
export interface Project {
  /** For editors: where the schema of this file is. */
  $schema?: string;
  accept: Acceptance[];
}

/** Findings that do not count: all of a rule, or the one about a subject. */
export interface Acceptance {
  rule: string;
  /** As `culprit check --json` prints it; absent: whatever the rule finds. */
  subject?: string;
  /** Why it is all right here. */
  reason: string;
}
