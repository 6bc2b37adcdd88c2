/**
 * Which files of a folder are the profiles. A run of TensorBoard's plugin (`plugins/profile/<run>/`) has many files for each host, and
 * only one of them is the recording; what the plugin computed from it lies beside.
 */
export function chooseTraces(files: { path: string; size: number }[]): string[] {
  const sorted = [...files].sort((a, b) => (a.path < b.path ? -1 : 1));
  const spaces = sorted.filter(({ path }) => /\.xplane\.(?:pb|riegeli)(?:\.gz)?$/.test(path));
  // A recording that is empty or missing leaves the one for the trace viewer as the best there is.
  const recorded = new Set(spaces.filter(({ size }) => 0 < size).map(({ path }) => hostOf(path)));
  const folders = new Set(spaces.filter(({ size }) => 0 < size).map(({ path }) => folderOf(path)));
  const viewers = sorted.filter(
    ({ path }) =>
      /(?:\.trace|\.trace\.json|\.trace\.json\.gz|perfetto_trace\.json\.gz)$/.test(path) &&
      !/\.pt\.trace\.json(?:\.gz)?$/.test(path) &&
      !recorded.has(hostOf(path)) &&
      !(path.endsWith("perfetto_trace.json.gz") && folders.has(folderOf(path))),
  );
  const torch = sorted.filter(({ path }) => /\.pt\.trace\.json(?:\.gz)?(?:\.tmp)?$/.test(path));
  // A report of Nsight Systems beside its export says nothing more.
  const exported = new Set(sorted.filter(({ path }) => path.endsWith(".sqlite")).map(({ path }) => path.replace(/\.sqlite$/, "")));
  const nsys = sorted.filter(
    ({ path }) => path.endsWith(".sqlite") || (path.endsWith(".nsys-rep") && !exported.has(path.replace(/\.nsys-rep$/, ""))),
  );
  // A memory snapshot is taken beside a recording, not in the place of one.
  const memory = sorted.filter(({ path }) => memoryName.test(path)).map(({ path }) => path);
  const chosen = [...spaces, ...viewers, ...torch, ...nsys];
  if (0 < chosen.length) return [...new Set(chosen.map(({ path }) => path)), ...memory];
  const others = sorted.filter(({ path }) => /\.json(?:\.gz)?(?:\.tmp)?$/.test(path) && !path.endsWith(".cached_tools.json"));
  if (0 < others.length + memory.length) return [...others.map(({ path }) => path), ...memory];
  // Whoever dumps a memory snapshot gives it any name; other pickles say of themselves what they are.
  const pickles = sorted.filter(({ path }) => /\.(?:pickle|pkl)(?:\.gz)?$/.test(path));
  if (0 < pickles.length) return pickles.map(({ path }) => path);
  return sorted
    .filter(({ path }) => /\.(?:overview_page|input_pipeline|tensorflow_stats|kernel_stats)\.pb$/.test(path))
    .map(({ path }) => path);
}

/** Files that may be profiles by their ending and were not chosen, where what lies beside a recording is none of them. */
export function leftOut(files: { path: string; size: number }[], chosen: string[]): string[] {
  const hosts = new Set(chosen.map(hostOf));
  return files
    .map(({ path }) => path)
    .filter((path) => /\.json(?:\.gz)?$/.test(path) && !chosen.includes(path) && !hosts.has(hostOf(path)) && !beside.test(path))
    .sort();
}

/** What TensorBoard's plugin computes of a recording, and what belongs to a project. */
const beside =
  /\.(?:cached_tools|memory_profile|memory_viewer|kernel_stats)\.json(?:\.gz)?$|\/plugins\/profile\/|perfetto_trace\.json\.gz$|(?:^|\/)(?:package|tsconfig|config|settings)[\w.-]*\.json$/;

/** What torch's memory snapshots are called in its docs and by its own tools. */
const memoryName = /(?:snapshot|memory|mem_)[^/]*\.pickle(?:\.gz)?$/i;

/** Whether a member of an archive may be a profile, by its name. */
export const isTraceName = (name: string): boolean =>
  (/(?:\.xplane\.pb|\.trace|\.json|\.sqlite|\.nsys-rep)(?:\.gz|\.zst)?$/.test(name) || memoryName.test(name)) &&
  !/\.cached_tools\.json$|(?:^|\/)\._|__MACOSX\//.test(name);

const folderOf = (path: string) => path.slice(0, path.lastIndexOf("/") + 1);
const hostOf = (path: string) => path.replace(/\.(?:xplane\.(?:pb|riegeli)(?:\.gz)?|trace(?:\.json)?(?:\.gz)?)$/, "");
