import { auditCalls, seriesCalls } from '@teaching/contracts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { clazzWith } from '../../../tools/proofs/test/clazz.ts';
import { createApi } from '../../../tools/proofs/test/api.ts';
import { type Fixture, startFixture } from '../../../tools/proofs/test/fixture.ts';
import { peopleOf } from '../../../tools/proofs/test/people.ts';
import { startGateway } from '../../gateway/test/gateway.ts';

let fixture: Fixture;
let slowGateway: Awaited<ReturnType<typeof startGateway>>;
const { supervisor } = peopleOf(() => fixture);
beforeAll(async () => {
  fixture = await startFixture();
  // With this timeout each call checks one part of the chain.
  slowGateway = await startGateway(fixture, { CALL_TIMEOUT_MS: '1000' });
});
afterAll(async () => {
  await slowGateway?.stop();
  await fixture?.stop();
});

const slowSupervisor = () => createApi(slowGateway.address, `Bearer ${fixture.token({ role: 'SUPERVISOR' })}`);
const verifyFrom = ({ entries, hash }: { entries: number; hash: string }) =>
  slowSupervisor().ok(auditCalls.verifyAuditLog, { query: { entries: String(entries), hash } });

it('a long audit chain is verified in several calls, and each returns how far it checked', async () => {
  const id = await clazzWith(supervisor(), [], { lead_teacher_id: 'lee' });
  const series = { starts_on: '2026-01-05', start_time: '09:00', duration_minutes: 60, zone: 'UTC' };
  const body = { ...series, rrule: 'FREQ=DAILY', count: 110 };
  await supervisor().ok(seriesCalls.createLessonSeries, { path: { id }, body });
  const isComplete = async () => (await supervisor().ok(auditCalls.getAuditLogHead)).complete;
  await expect.poll(isComplete).toBe(true);
  const first = await slowSupervisor().ok(auditCalls.verifyAuditLog);
  expect(first).toMatchObject({ ok: null, checked: { entries: 50 }, complete: true, dead_letters: 0 });
  const second = await verifyFrom(first.checked);
  expect(second).toMatchObject({ ok: null, checked: { entries: 100 } });
  const { head, entries } = second;
  const last = await verifyFrom(second.checked);
  expect(last).toMatchObject({ ok: true, entries, checked: { entries, hash: head } });
  await fixture.sql("update clazz.audit_head set hash = repeat('1', 64)");
  expect((await verifyFrom(second.checked)).ok).toBe(false);
});
