// The tab of TensorBoard. It asks what is known by now, shows it, and asks again while something is still being worked out.

/** Milliseconds. */
const pause = 1500;

const kinds = { "✓": "good", "!": "odd", "✗": "bad", "–": "odd", "?": "odd" };

/** TensorBoard calls this once, in a frame of its own. */
export async function render() {
  const sheet = element("link", { rel: "stylesheet", href: new URL("./tensorboard.css", import.meta.url).href });
  document.head.append(sheet);
  const profiles = element("section", {}, element("h2", {}, "Was the GPU recorded?"));
  const list = element("div", {}, element("p", { className: "faint" }, "Looking for profiles …"));
  profiles.append(list);
  const machine = element("section", {}, element("h2", {}, "Can this machine record it?"));
  const verdict = element("div", {}, element("p", { className: "faint" }, "Looking at the packages beside TensorBoard …"));
  machine.append(verdict);
  document.body.append(element("main", {}, profiles, machine));
  const shown = new Map();
  for (;;) {
    const answer = await ask();
    if (answer) {
      showProfiles(list, answer, shown);
      showMachine(verdict, answer.machine, shown);
    }
    // A run that is being recorded may bring another one.
    await new Promise((resolve) => setTimeout(resolve, answer?.state === "done" ? 20 * pause : pause));
  }
}

async function ask() {
  try {
    const reply = await fetch(new URL("./answers", import.meta.url));
    return reply.ok ? await reply.json() : undefined;
  } catch {
    // TensorBoard was stopped, or starts again.
    return undefined;
  }
}

// What is open stays open, so only what has changed is drawn anew.
function showProfiles(list, { profiles, left, state }, shown) {
  const key = JSON.stringify(profiles.map(({ name, answer }) => [name, answer?.verdict, answer?.problem]));
  if (shown.get("profiles") === key) return;
  shown.set("profiles", key);
  const rows = profiles.map(({ name, answer }) => {
    const line = answer ? (answer.problem ? `? ${answer.problem}` : answer.line) : "… being read";
    const [mark, words] = [line.slice(0, 1), line.slice(2)];
    const kind = kinds[mark] ?? "faint";
    const summary = element("summary", {}, element("span", { className: kind }, mark), " ", element("strong", {}, name), ` ${words}`);
    const row = element("details", { className: kind }, summary);
    // Made by culprit, which escapes all that comes from elsewhere.
    if (answer?.html) row.insertAdjacentHTML("beforeend", answer.html);
    row.open = profiles.length === 1 || (kind === "bad" && profiles.filter((each) => each.answer?.verdict !== "healthy").length < 4);
    return row;
  });
  const none = state === "working" ? "Looking for profiles …" : "There is no profile in this logdir.";
  list.replaceChildren(...(rows.length === 0 ? [element("p", { className: "faint" }, none)] : rows));
  if (0 < left) list.append(element("p", { className: "faint" }, `and ${left} more, which are not read here: culprit trace FILE`));
}

function showMachine(place, machine, shown) {
  if (!machine || shown.has("machine")) return;
  shown.set("machine", true);
  place.replaceChildren();
  if (machine.html) place.insertAdjacentHTML("beforeend", machine.html);
  else place.append(element("p", {}, machine.problem ?? ""));
}

function element(name, properties, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}
