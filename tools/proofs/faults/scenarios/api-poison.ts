import { randomUUID } from 'node:crypto';
import { fieldAt, textAt } from '../../system/plain-api.ts';
import { poll } from '../../system/poll.ts';
import { countDeadLetters } from '../poison-events.ts';
import { type ScenarioResult, type Scenario, logSummary } from '../scenario.ts';
import type { System } from '../../system/start-system.ts';

const STUDENTS = Array.from({ length: 1_050 }, (_, n) => `many-${n}`);
const CHUNK = 350;
const TIMEOUT_MS = 30_000;
const DAY_MS = 86_400_000;
const iso = (ms: number): string => new Date(ms).toISOString();

/** Charges a lesson of one million hours tenfold to each of a thousand students. */
const chargeTooMuch = async (system: System): Promise<ScenarioResult> => {
  const org = randomUUID();
  const send = (method: string, path: string, body?: unknown) =>
    system.api({ method, path, org, ...(body === undefined ? {} : { body }), timeout: TIMEOUT_MS });
  const policy = await send('PUT', '/clazz/policy', { charge: { present: '10' } });
  const clazz = textAt((await send('POST', '/clazz', { name: 'Rich', lead_teacher_id: 't1' })).body, 'id');
  await send('POST', `/clazz/${clazz}/activate`);
  const starts = Date.now() - DAY_MS;
  const times = { starts_at: iso(starts), ends_at: iso(starts + 1_800_000) };
  const lesson = await send('POST', `/clazz/${clazz}/lesson`, { ...times, hours: 1_000_000 });
  if (policy.status === 400 || lesson.status === 400) return { ok: true, line: 'refused with 400' };
  const statuses = [policy.status, lesson.status];
  for (let n = 0; n < STUDENTS.length; n += CHUNK) {
    const student_ids = STUDENTS.slice(n, n + CHUNK);
    statuses.push((await send('POST', `/clazz/${clazz}/student`, { student_ids, since: iso(starts - DAY_MS) })).status);
    const marks = student_ids.map((student_id) => ({ student_id, mark: 'present' }));
    statuses.push((await send('PUT', `/clazz/lesson/${textAt(lesson.body, 'id')}/roll-call`, { marks })).status);
  }
  // The statistics must count every write that was accepted.
  const [source] = await system.postgres.sql<{ sum: string }>(
    'select coalesce(sum(charged_hours), 0)::text as sum from clazz.mark_revision where org_id = $1',
    [org],
  );
  const range = `from=${iso(starts - DAY_MS).slice(0, 10)}&to=${iso(starts + DAY_MS).slice(0, 10)}`;
  const consumed = async (): Promise<string> =>
    textAt(fieldAt((await send('GET', `/clazz/stats/org-overview?${range}`)).body, 'totals'), 'hours_consumed');
  const isEqual = await poll(async () => (await consumed()) === source?.sum || undefined, 15_000, 200);
  const line = `accepted (${statuses.join(' ')}); consumed by statistics ${await consumed()}, by the source ${source?.sum}`;
  return {
    ok: isEqual === true,
    line: `${line}; ${await countDeadLetters(system)} dead letters; ${logSummary(system)}`,
  };
};

export const apiPoison: Scenario = {
  name: 'api-poison',
  about: 'a lesson of half an hour counts 1,000,000 hours: it is refused, or statistics equal the source',
  run: chargeTooMuch,
};
