import { afterAll, assert, beforeAll, expect, it, vi } from 'vitest';
import { auditCalls, clazzCalls } from '../../libs/contracts/src/index.ts';
import { createPool } from '../../libs/kit/src/db/pool.ts';
import { createLogger } from '../../libs/kit/src/index.ts';
import { cutAuditLog } from '../../libs/kit/src/log/cut-log.ts';
import { logName } from '../../libs/kit/src/log/place.ts';
import { inWorkerTx } from '../../libs/kit/src/log/tx.ts';
import { type Fixture, startFixture } from './fixture.ts';
import { peopleOf } from './people.ts';
import { SOON } from './soon.ts';

let fixture: Fixture;
const { supervisor } = peopleOf(() => fixture);
beforeAll(async () => {
  fixture = await startFixture({ services: ['clazz'] });
});
afterAll(() => fixture?.stop());

const newClass = () => supervisor().ok(clazzCalls.create, { body: { name: 'A', lead_teacher_id: 'lee' } });
const complete = () => vi.waitFor(async () => assert((await supervisor().ok(auditCalls.head)).complete), SOON);
const inLog = async (log: string): Promise<number> =>
  (await fixture.sql<{ n: number }>('select count(*)::int as n from clazz.log_entry where log = $1', [log]))[0]?.n ??
  -1;

/** What the service does by itself every ten minutes. */
const cut = async (): Promise<void> => {
  const log = createLogger('clazz', 'silent');
  const pool = createPool(fixture.envFor('clazz')['WORKER_DATABASE_URL'] ?? '', 1, 'test', log);
  const name = logName('clazz', 'audit');
  await inWorkerTx({ pool, clock: () => new Date(), onEvents: () => {} }, (tx) => cutAuditLog(name, tx, log));
  await pool.end();
};

it('audit records leave the log a week after they stand in the trail; the history of the domain never does', async () => {
  await newClass();
  await complete();
  const [audited, told] = [await inLog('audit'), await inLog('domain')];
  await cut();
  expect([await inLog('audit'), await inLog('domain')]).toEqual([audited, told]);
  await fixture.sql("update clazz.log_batch set numbered_at = now() - interval '8 days'");
  await cut();
  expect([await inLog('audit'), await inLog('domain')]).toEqual([0, told]);
  await newClass();
  await complete();
  expect(await supervisor().ok(auditCalls.verify)).toMatchObject({ ok: true, complete: true, breaks: [] });
});
