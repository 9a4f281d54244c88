import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { provision } from '../libs/kit/src/db/provision.ts';
import type { Running } from '../libs/kit/src/index.ts';
import { start as startClazz } from '../services/clazz/src/main.ts';
import { start as startStats } from '../services/stats/src/main.ts';
import { begin, type Emitted, look, makeSchool, rollCall } from './bench/school.ts';
import { say, step } from './local/progress.ts';
import { startStack, type Stack } from './local/stack.ts';

const USAGE = `Usage: npm run bench:events [-- --days <n>]

How many events a second the relay brings from the outbox to the stream, and the statistics take from
the stream. Runs on a Postgres and a nats-server of its own, with the settings of the local system.
One day is the roll call of 200 classes of 30 (33 events each), each class looked at 17 times.`;

const INSERT = `insert into clazz.outbox (id, org_id, tx_id, subject, aggregate_id, event)
  select * from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::json[])`;
const COLUMNS = ['id', 'org_id', 'tx_id', 'subject', 'aggregate_id', 'event'] as const;
/** For each consumer the last event in the stream that concerns it, and how far it is. */
const CONSUMERS = {
  audit: {
    last: "select max(stream_seq) from clazz.outbox where event ->> 'type' = 'clazz.audit.recorded.v1'",
    position: 'select stream_seq from clazz.consumer_position',
  },
  statistics: {
    last: "select max(stream_seq) from clazz.outbox where event ->> 'type' <> 'clazz.audit.recorded.v1'",
    position: "select stream_seq from stats.consumer_position where consumer = 'clazz'",
  },
};
const CHUNK = 5_000;
const LOOK_MS = 25;

const emitAll = async (client: pg.Client, events: readonly Emitted[]): Promise<void> => {
  await client.query('begin');
  for (let n = 0; n < events.length; n += CHUNK) {
    const part = events.slice(n, n + CHUNK);
    await client.query(
      INSERT,
      COLUMNS.map((name) => part.map((event) => event[name])),
    );
  }
  await client.query('commit');
};

/** Asks until nothing is left; answers how long it took from the first progress, and how much that was. */
const drained = async (left: () => Promise<number>): Promise<{ ms: number; events: number }> => {
  const all = await left();
  let [since, from] = [performance.now(), all];
  for (let now = all; now > 0; now = await left()) {
    if (from === all && now < all) [since, from] = [performance.now(), now];
    await pause(LOOK_MS);
  }
  return { ms: performance.now() - since, events: from };
};

const count = async (client: pg.Client, sql: string): Promise<number> =>
  Number((await client.query<{ n: string }>(`select ${sql} as n`)).rows[0]?.n);

const measure = async (stack: Stack, client: pg.Client, days: number): Promise<void> => {
  const env = (name: 'clazz' | 'stats') => ({ ...stack.envFor(name), LOG_LEVEL: 'warn' });
  const unpublished = () =>
    count(
      client,
      `coalesce((select max(seq) from clazz.outbox) + 1
       - (select min(seq) from clazz.outbox where published_at is null), 0)`,
    );
  const caughtUp = async (who: keyof typeof CONSUMERS) => {
    const { last, position } = CONSUMERS[who];
    const end = await count(client, `(${last})`);
    return drained(async () => end - (await count(client, `coalesce((${position}), 0)`)));
  };
  const school = makeSchool(10, 20, 30, days + 1);
  const dayOf = (day: number): Emitted[] =>
    school.flatMap((clazz) => [...rollCall(clazz, day), ...Array.from({ length: 17 }, () => look(clazz)).flat()]);
  const running: Running[] = [];
  try {
    running.push(await startClazz(env('clazz')));
    await step('the school, its students and lessons', async () => {
      await emitAll(client, school.flatMap(begin));
      await emitAll(client, dayOf(0));
      await drained(unpublished);
      const stats = await startStats(env('stats'));
      await caughtUp('statistics');
      await caughtUp('audit');
      await stats.stop();
      await client.query('analyze');
    });
    for (let day = 1; day <= days; day += 1) await emitAll(client, dayOf(day));
    const relayed = await step('relay', () => drained(unpublished));
    await step('audit trail', () => caughtUp('audit'));
    running.push(await startStats(env('stats')));
    const projected = await step('statistics', () => caughtUp('statistics'));
    for (const [name, { ms, events }] of Object.entries({ relay: relayed, statistics: projected })) {
      say(
        `${name.padEnd(12)}${Math.round((events / ms) * 1_000)
          .toLocaleString('en')
          .padStart(9)} events/s`,
      );
    }
  } finally {
    await Promise.all(running.map((one) => one.stop()));
  }
};

const main = async (): Promise<void> => {
  const { values } = parseArgs({
    options: { days: { type: 'string', default: '20' }, help: { type: 'boolean', default: false } },
  });
  if (values.help) return say(USAGE);
  const days = Number(values.days);
  if (!Number.isInteger(days) || days < 1) throw new Error('--days must be a whole number from 1 on');
  const dataDir = mkdtempSync(join(tmpdir(), 'teaching-bench-'));
  chmodSync(dataDir, 0o711);
  const stack = await startStack({ dataDir });
  const client = new pg.Client({ connectionString: stack.adminUrl });
  try {
    await client.connect();
    for (const service of ['clazz', 'stats'] as const) {
      await provision({ adminUrl: stack.adminUrl, service, passwords: stack.secrets.database[service] });
    }
    await measure(stack, client, days);
  } finally {
    await client.end();
    await stack.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
};

await main();
