import { auditCalls, seriesCalls } from '@teaching/contracts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { clazzWith } from '../../../tools/proofs/test/clazz.ts';
import { createApi } from '../../../tools/proofs/test/api.ts';
import { type Fixture, startFixture } from '../../../tools/proofs/test/fixture.ts';
import { peopleOf } from '../../../tools/proofs/test/people.ts';
import { startGateway } from '../../gateway/test/gateway.ts';

let fixture: Fixture;
let hasty: Awaited<ReturnType<typeof startGateway>>;
const { supervisor } = peopleOf(() => fixture);
beforeAll(async () => {
  fixture = await startFixture();
  // Hardly any time: each call checks one part.
  hasty = await startGateway(fixture, { CALL_TIMEOUT_MS: '1000' });
});
afterAll(async () => {
  await hasty?.stop();
  await fixture?.stop();
});

const inHaste = () => createApi(hasty.address, `Bearer ${fixture.token({ role: 'SUPERVISOR' })}`);
const checkFrom = ({ entries, hash }: { entries: number; hash: string }) =>
  inHaste().ok(auditCalls.verifyAuditLog, { query: { entries: String(entries), hash } });

it('a long chain is checked in several calls, each of which tells how far it came', async () => {
  const id = await clazzWith(supervisor(), [], { lead_teacher_id: 'lee' });
  const series = { starts_on: '2026-01-05', start_time: '09:00', duration_minutes: 60, zone: 'UTC' };
  const body = { ...series, rrule: 'FREQ=DAILY', count: 110 };
  await supervisor().ok(seriesCalls.createLessonSeries, { path: { id }, body });
  const written = async () => (await supervisor().ok(auditCalls.getAuditLogHead)).complete;
  await expect.poll(written).toBe(true);
  const first = await inHaste().ok(auditCalls.verifyAuditLog);
  expect(first).toMatchObject({ ok: null, checked: { entries: 50 }, complete: true, dead_letters: 0 });
  const second = await checkFrom(first.checked);
  expect(second).toMatchObject({ ok: null, checked: { entries: 100 } });
  const { head, entries } = second;
  const last = await checkFrom(second.checked);
  expect(last).toMatchObject({ ok: true, entries, checked: { entries, hash: head } });
  await fixture.sql("update clazz.audit_head set hash = repeat('1', 64)");
  expect((await checkFrom(second.checked)).ok).toBe(false);
});
