// Known defects: whether the issues that they rest on were closed since somebody looked.
import { parsed, Unreadable } from "./get.mjs";

export const defects = {
  id: "defects",
  words: "known defects (the issues that they rest on)",
  async refresh({ get, read }) {
    const file = read("known-bad");
    const persons = [];
    for (const [key, source] of Object.entries(file.sources)) {
      const [, repository, number] = /^https:\/\/github\.com\/([\w.-]+\/[\w.-]+)\/(?:issues|pull)\/(\d+)/.exec(source) ?? [];
      if (number === undefined) continue;
      const issue = parsed(await get(`https://api.github.com/repos/${repository}/issues/${number}`), `${repository}#${number}`);
      if (typeof issue.state !== "string") throw new Unreadable(`${repository}#${number} has no state`);
      const rows = file.combinations.filter((row) => [row.source].flat().includes(key));
      const since = rows.map(({ checked }) => checked).sort()[0];
      if (issue.state === "closed" && since !== undefined && since < issue.closed_at.slice(0, 10))
        persons.push(
          `${repository}#${number} was closed on ${issue.closed_at.slice(0, 10)}: does ${rows.map(({ id }) => `\`${id}\``).join(" and ")} in known-bad.json still hold?`,
        );
    }
    return { files: {}, changes: [], persons };
  },
};
