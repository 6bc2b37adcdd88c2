import type { Palette } from "./timeline.ts";

export const light: Palette = {
  text: "#10151c",
  faint: "#5a6572",
  line: "#d5dbe2",
  background: "#ffffff",
  run: { gpu: "#7aa6d8", host: "#b9c2cc" },
  chosen: "#e8590c",
  colours: [
    "#8ecae6",
    "#a7c957",
    "#ffb703",
    "#cdb4db",
    "#f4978e",
    "#90dbf4",
    "#e9c46a",
    "#b8e0d2",
    "#d4a373",
    "#a0c4ff",
    "#ffc6ff",
    "#caffbf",
  ],
};
export const dark: Palette = {
  text: "#e6ebf1",
  faint: "#9aa6b2",
  line: "#303a45",
  background: "#14171c",
  run: { gpu: "#3f6ea3", host: "#4a5561" },
  chosen: "#ff922b",
  colours: [
    "#5fa8d3",
    "#8aac3a",
    "#e0a100",
    "#a88fc0",
    "#d9776d",
    "#5bbfdc",
    "#c9a648",
    "#86bfae",
    "#b58352",
    "#7a9fe0",
    "#d59ad5",
    "#9bd692",
  ],
};

/** As the page is: its own choice, else the system's. */
export function isDark(): boolean {
  if (document.querySelector("#colours-dark:checked")) return true;
  return !document.querySelector("#colours-light:checked") && matchMedia("(prefers-color-scheme: dark)").matches;
}
