// Names within an archive are put together as on any Linux.
const join = (...parts: string[]): string => {
  const kept: string[] = [];
  for (const part of parts.join("/").split("/")) {
    if (part === "" || part === ".") continue;
    if (part === ".." && 0 < kept.length && kept.at(-1) !== "..") kept.pop();
    else kept.push(part);
  }
  return `${parts.join("/").startsWith("/") ? "/" : ""}${kept.join("/")}` || ".";
};

export default { join, posix: { join } };
