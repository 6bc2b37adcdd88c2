// A folder without a profile: what lies in it says how far a recording came.

/** Why there may be none, as sentences. `files`: all that lie in it; `asksMachine`: the machine is asked in any case. */
export function noProfileWords(folder: string, files: { path: string; size: number }[], asksMachine: boolean): string {
  const looked = `there is no profile in \`${folder}\`: neither \`*.xplane.pb\` nor \`*.trace.json.gz\` nor \`*.pt.trace.json\` (looked at ${files.length === 1 ? "1 file" : `${files.length} files`})`;
  const next = asksMachine
    ? []
    : [
        "`culprit check --for tensorflow --do profile` (or torch, jax) says whether a profiler reaches the GPU of this machine; with `--with-machine` this command does",
      ];
  return [looked, ...signsIn(files), ...next].join(". ");
}

function signsIn(files: { path: string; size: number }[]): string[] {
  // What the plugin writes of itself when a page is opened: it was looked at, and nothing was recorded.
  const profile = files.filter(({ path }) => path.includes("/plugins/profile/"));
  if (profile.some(({ path }) => /\.cached_tools\.json$|ALL_HOSTS/.test(path)))
    return ["TensorBoard's plugin was here, and its own files are all that is left: the recording itself was removed or not copied"];
  // TensorFlow leaves this for TensorBoard where a profile is saved, or is to be captured (tensorflow/python/eager/profiler.py).
  if (files.some(({ path }) => path.endsWith(".profile-empty")))
    return [
      "A profiler was told to write here (`.profile-empty` says so), and what it recorded is not there: it was removed or not copied, or the capture brought nothing",
    ];
  if (files.some(({ path }) => /(?:^|\/)events\.out\.tfevents\./.test(path)))
    return [
      "There are summaries, so a program wrote here, and no profiler was started: the `TensorBoard` callback of Keras records only with `profile_batch` (its default is off), torch only with `on_trace_ready=tensorboard_trace_handler(…)`, JAX only between `start_trace` and `stop_trace`",
    ];
  return [];
}
