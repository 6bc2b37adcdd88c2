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

/** Tells all webhooks, one round after the other; what one of them did not take is told again with the next round. */
export function deliveryOf(store: Store, webhooks: Webhook[], told: (sentence: string) => void): () => Promise<void> {
  let round: Promise<void> = Promise.resolve();
  return async () => {
    if (webhooks.length === 0) return;
    round = round
      .then(async () => deliver(store, webhooks, told))
      .catch((error: unknown) => told(`telling webhooks failed: ${String(error)}`));
    return round;
  };
}

async function deliver(store: Store, webhooks: Webhook[], told: (sentence: string) => void): Promise<void> {
  const news = await store.rows<Told & { id: number }>(
    `select node.id, node.name as node, node.pool as "group", s.rule, s.subject, s.message, s.first_seen as since
     from sighting s join node on node.id = s.node
     where s.told is null and s.gone is null and s.severity = 'error' and s.first_seen > now() - interval '1 day'
       and (select count(distinct stack) from change where change.node = node.id) > 1
     order by s.first_seen limit 500`,
  );
  if (news.length === 0) return;
  const body = JSON.stringify({ schema: "culprit/regressions@1", regressions: news.map(({ id: _id, ...each }) => each) });
  const taken = await Promise.all(webhooks.map(async (each) => send(each, body, told)));
  if (!taken.every(Boolean)) return;
  await store.rows(
    `update sighting set told = now() from unnest($1::bigint[], $2::text[], $3::text[]) t(node, rule, subject)
     where sighting.node = t.node and sighting.rule = t.rule and sighting.subject = t.subject and sighting.gone is null`,
    [news.map(({ id }) => id), news.map(({ rule }) => rule), news.map(({ subject }) => subject)],
  );
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
