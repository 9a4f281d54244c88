import { reasonOf } from '../log/trouble.ts';
import type { DatabaseLook } from './database-look.ts';
import type { Needs } from './readiness.ts';

/** What an instance needs of its database: both of its roles, and a schema that is not behind its code. */
export const databaseNeeds = async (
  app: DatabaseLook,
  worker: DatabaseLook,
  wanted: readonly string[],
): Promise<Needs> => {
  const looks = [app, worker].map((one) => one.applied());
  const [asApp, asWorker] = await Promise.allSettled(looks);
  const wrong = (look: PromiseSettledResult<string[]> | undefined): string | undefined =>
    look?.status === 'rejected' ? reasonOf(look.reason) : undefined;
  const applied = asApp?.status === 'fulfilled' ? asApp.value : undefined;
  const missing = applied === undefined ? [] : wanted.filter((name) => !applied.includes(name));
  return {
    database: wrong(asApp),
    worker_database: wrong(asWorker),
    schema: missing.length === 0 ? undefined : `the schema lacks ${missing.join(', ')}`,
  };
};
