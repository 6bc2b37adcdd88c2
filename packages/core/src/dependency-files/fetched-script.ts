// Scripts that are fetched and run at once: `curl -fsSL https://… | bash`. What they install is nowhere written.
import type { Setting } from "./setting.ts";
import type { Word } from "./shell.ts";

/** Installers of tools: package managers, languages, shells. None of them brings a framework or a library of a GPU. */
const ofTools = [
  /^https?:\/\/(?:[\w-]+\.)*(?:astral\.sh|rustup\.rs|nodesource\.com|docker\.com|pixi\.sh|mamba\.pm|python-poetry\.org|packagecloud\.io|pypa\.io|pdm-project\.org|deno\.land|bun\.sh|starship\.rs|just\.systems|tailscale\.com|sdkman\.io|volta\.sh|pnpm\.io|yarnpkg\.com|determinate\.systems|nixos\.org|helm\.sh|fluxcd\.io|k3s\.io|ghcup\.haskell\.org|julialang\.org|cloud\.google\.com|amazonaws\.com|launchpad\.net|llvm\.org|gitlab\.com|codecov\.io|doppler\.com|hashicorp\.com|anaconda\.com|rclone\.org|ollama\.com|pyenv\.run)\//,
  /^https?:\/\/(?:raw\.githubusercontent\.com|github\.com)\/(?:nvm-sh|pyenv|ohmyzsh|deluan|Homebrew|helm|rust-lang|astral-sh|prefix-dev|mamba-org|conda-forge|git-lfs|dvershinin|deadsnakes|python-poetry|pypa|pdm-project|rcaloras|tj|junegunn|zsh-users|romkatv|denoland|golangci|aquasecurity|anchore|docker|cli)\//,
];
/** The end of an address that names a tool, wherever it lies. */
const namesTool =
  /(?:get-?(?:pip|poetry|pipx|docker|helm)|rustup|nvm|pyenv|oh-?my-?zsh|nodesource|setup_\d+\.x|mini(?:conda|forge)|micromamba|git-lfs|script\.deb\.sh)/i;

/** Says so where a command of a text fetches one. */
export function tellFetched(words: Word[], text: string, { tell, place }: Setting): void {
  const address = fetchedScript(words, text);
  if (address) tell(place(address), "what the script that is fetched here installs is not known");
}

/** Where the address of such a script stands among the words of a command; undefined where it fetches none, or one of a tool. */
function fetchedScript(words: Word[], text: string): Word | undefined {
  if (!/^(?:curl|wget|sudo|(?:ba|z|da|k)?sh)$/.test(words[0]?.text ?? "")) return undefined;
  return words.find((word) => {
    const address = /https?:\/\/[^\s"')|;]{1,300}/.exec(word.text)?.[0];
    if (address === undefined || !isRun(address, text)) return false;
    return !ofTools.some((each) => each.test(`${address}/`)) && !namesTool.test(address);
  });
}

/** Whether what is fetched from there goes to a shell. */
function isRun(address: string, text: string): boolean {
  for (let at = text.indexOf(address); 0 <= at; at = text.indexOf(address, at + 1)) {
    const [behind, before] = [text.slice(at + address.length, at + address.length + 200), text.slice(Math.max(0, at - 120), at)];
    if (
      /^["']?[^|;&\n]{0,150}\|\s{0,20}(?:sudo\s{1,5}(?:-\w{1,5}\s{1,5}){0,3})?(?:\w{1,30}=\S{0,60}\s{1,5}){0,4}(?:ba|z|da|k)?sh\b/.test(
        behind,
      )
    )
      return true;
    if (/(?:\bsh|\bbash)\s{1,5}(?:-\w{1,4}\s{1,5}){0,3}(?:<\(|["']?\$\()\s{0,5}(?:curl|wget)\b[^|;&\n]{0,80}$/.test(before)) return true;
  }
  return false;
}
