/** What a program does; each contains the ones before it that it needs. */
export const activities = ["import", "device", "matmul", "convolution", "rnn", "compile", "profile", "train-distributed"] as const;
export type Activity = (typeof activities)[number];
