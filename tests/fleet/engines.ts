// The same tests on both engines: the embedded PostgreSQL, and a real server.
import { afterAll, beforeAll, describe } from "vitest";
import { migrate } from "../../packages/fleet/src/store/migrations.ts";
import { openEmbedded, openPostgres, type Store } from "../../packages/fleet/src/store/sql.ts";
import { noPostgres, startPostgres, type RunningPostgres } from "./postgres.ts";

/** `fresh` is an empty database of that engine, with its tables. */
export function onBothEngines(tests: (fresh: () => Promise<Store>) => void): void {
  describe.each(["embedded", "postgresql"] as const)("on the %s engine", (engine) => {
    const opened: Store[] = [];
    let server: RunningPostgres | undefined;
    const isMissing = engine === "postgresql" && noPostgres !== undefined;
    beforeAll(async () => {
      if (engine === "postgresql" && !isMissing) server = await startPostgres();
    });
    afterAll(async () => {
      for (const store of opened) await store.end();
      await server?.stop();
    });
    const fresh = async () => {
      const store = engine === "embedded" ? await openEmbedded(undefined) : await openPostgres(await server!.fresh());
      opened.push(store);
      await migrate(store);
      return store;
    };
    if (isMissing) describe.skip(`skipped: ${noPostgres}`, () => tests(fresh));
    else tests(fresh);
  });
}
