// For Prometheus: plain text, no names of nodes, so that it can be read without a token.
import { openJobs } from "../store/jobs.ts";
import type { Store } from "../store/sql.ts";

export interface Counters {
  /** By status. */
  requests: Map<number, number>;
  /** By what came of them. */
  pushes: Map<string, number>;
  /** By what was said to the cluster. */
  admissions: Map<string, number>;
  refused: number;
}

/** Who has no token may ask, as often as he likes: the database is asked once a second at most. */
const freshFor = 1000;

export function metricsOf(store: Store, counters: Counters): () => Promise<string> {
  let known: { at: number; counts: Promise<string[]> } | undefined;
  return async () => {
    if (!known || known.at + freshFor <= Date.now()) known = { at: Date.now(), counts: countsIn(store) };
    return [...(await known.counts), ...countersText(counters), ""].join("\n");
  };
}

async function countsIn(store: Store): Promise<string[]> {
  const counted = async (text: string) => (await store.one<{ amount: number }>(text))!.amount;
  const statuses = await store.rows<{ status: string; amount: number }>(
    `select coalesce(verdict.status, 'waiting') as status, count(*) as amount from node
     left join verdict on verdict.stack = node.stack and verdict.question = '' group by 1 order by 1`,
  );
  const silent = await counted("select count(*) as amount from node where last_seen < now() - interval '1 day'");
  const found = await store.rows<{ severity: string; amount: number }>(
    "select severity, count(*) as amount from sighting where gone is null group by severity order by severity",
  );
  return [
    ...metric(
      "culprit_fleet_nodes",
      "gauge",
      "Nodes by what is said of them",
      statuses.map(({ status, amount }) => [`status="${status}"`, amount]),
    ),
    ...metric("culprit_fleet_nodes_silent", "gauge", "Nodes that said nothing for a day", [["", silent]]),
    ...metric(
      "culprit_fleet_findings",
      "gauge",
      "Findings on nodes",
      found.map(({ severity, amount }) => [`severity="${severity}"`, amount]),
    ),
    ...metric("culprit_fleet_stacks", "gauge", "Distinct stacks", [["", await counted("select count(*) as amount from stack")]]),
    ...metric("culprit_fleet_jobs", "gauge", "Stacks that wait for a verdict", [["", await openJobs(store)]]),
  ];
}

function countersText({ requests, pushes, admissions, refused }: Counters): string[] {
  return [
    ...metric(
      "culprit_fleet_requests_total",
      "counter",
      "Requests by status, of this process",
      [...requests].map(([status, amount]) => [`status="${status}"`, amount]),
    ),
    ...metric(
      "culprit_fleet_pushes_total",
      "counter",
      "Pushes by what came of them, of this process",
      [...pushes].map(([state, amount]) => [`state="${state}"`, amount]),
    ),
    ...metric(
      "culprit_fleet_admissions_total",
      "counter",
      "Pods that a cluster asked about, by what it was told, of this process",
      [...admissions].map(([answer, amount]) => [`answer="${answer}"`, amount]),
    ),
    ...metric("culprit_fleet_refused_total", "counter", "Requests that were refused, of this process", [["", refused]]),
  ];
}

const metric = (name: string, type: string, help: string, values: [string, number][]): string[] => [
  `# HELP ${name} ${help}`,
  `# TYPE ${name} ${type}`,
  ...values.map(([labels, value]) => `${name}${labels === "" ? "" : `{${labels}}`} ${value}`),
];
