// Errors that came on nodes that had none of them before, told to whoever asked for it, at least once.
import { createHmac } from "node:crypto";
import type { Store } from "../store/sql.ts";

export interface Webhook {
  url: string;
  /** Signs what is sent: `x-culprit-signature: sha256=…` over the body. */
  secret?: string;
}

interface Told {
  node: string;
  group: string;
  rule: string;
  subject: string;
  message: string;
  since: Date;
}

/** How many of those that some have taken and others not are remembered. */
const mostTaken = 100_000;

/**
 * Tells all webhooks, one round after the other; what one of them did not take it is told again with the next round, and who has taken it is not.
 * One that is away is asked again after a while, and later each time.
 */
export function deliveryOf(store: Store, webhooks: Webhook[], told: (sentence: string) => void): () => Promise<void> {
  let round: Promise<void> = Promise.resolve();
  const listeners = webhooks.map((webhook): Listener => ({ webhook, taken: new Set(), failures: 0, notBefore: 0 }));
  return async () => {
    if (webhooks.length === 0) return;
    round = round
      .then(async () => deliver(store, listeners, told))
      .catch((error: unknown) => told(`telling webhooks failed: ${String(error)}`));
    return round;
  };
}

interface Listener {
  webhook: Webhook;
  /** What it has taken while others have not. */
  taken: Set<string>;
  failures: number;
  notBefore: number;
}

type News = Told & { id: number };
const nameOf = ({ id, rule, subject, since }: News): string => JSON.stringify([id, rule, subject, since]);

async function deliver(store: Store, listeners: Listener[], told: (sentence: string) => void): Promise<void> {
  const news = await store.rows<News>(
    `select node.id, node.name as node, node.pool as "group", s.rule, s.subject, s.message, s.first_seen as since
     from sighting s join node on node.id = s.node
     where s.told is null and s.gone is null and not s.learnt and s.severity = 'error' and s.first_seen > now() - interval '1 day'
       and (select count(distinct stack) from change where change.node = node.id) > 1
     order by s.first_seen limit 500`,
  );
  if (news.length === 0) return;
  await Promise.all(listeners.map(async (listener) => tell(listener, news, told)));
  const done = news.filter((each) => listeners.every(({ taken }) => taken.has(nameOf(each))));
  await store.rows(
    `update sighting set told = now() from unnest($1::bigint[], $2::text[], $3::text[]) t(node, rule, subject)
     where sighting.node = t.node and sighting.rule = t.rule and sighting.subject = t.subject and sighting.gone is null`,
    [done.map(({ id }) => id), done.map(({ rule }) => rule), done.map(({ subject }) => subject)],
  );
  for (const { taken } of listeners) {
    for (const each of done) taken.delete(nameOf(each));
    if (mostTaken < taken.size) taken.clear();
  }
}

async function tell(listener: Listener, news: News[], told: (sentence: string) => void): Promise<void> {
  const mine = news.filter((each) => !listener.taken.has(nameOf(each)));
  if (mine.length === 0 || Date.now() < listener.notBefore) return;
  const body = JSON.stringify({ schema: "culprit/regressions@1", regressions: mine.map(({ id: _id, ...each }) => each) });
  if (await send(listener.webhook, body, told)) {
    listener.failures = 0;
    for (const each of mine) listener.taken.add(nameOf(each));
  } else {
    listener.failures += 1;
    listener.notBefore = Date.now() + Math.min(2 ** listener.failures, 300) * 1000;
  }
}

async function send({ url, secret }: Webhook, body: string, told: (sentence: string) => void): Promise<boolean> {
  const signature =
    secret === undefined ? {} : { "x-culprit-signature": `sha256=${createHmac("sha256", secret).update(body).digest("hex")}` };
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", ...signature },
      body,
      redirect: "error",
      signal: AbortSignal.timeout(10_000),
    });
    if (response.ok) return true;
    told(`the webhook ${new URL(url).host} answers with ${response.status}`);
  } catch (error) {
    told(`the webhook ${new URL(url).host} cannot be reached: ${error instanceof Error ? error.message : String(error)}`);
  }
  return false;
}
