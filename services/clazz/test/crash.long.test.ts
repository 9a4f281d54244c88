import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { hourCalls } from '@teaching/contracts';
import { startProgram } from '@teaching/local/program.ts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { codeOf } from '../../../tools/proofs/test/expect-answers.ts';
import { clockAt } from '../../../tools/proofs/test/clock.ts';
import { type Fixture, startFixture } from '../../../tools/proofs/test/fixture.ts';
import type { Answer } from '../../../tools/proofs/test/http.ts';
import { failureText } from '../../../tools/proofs/test/failure-text.ts';
import { brokenInvariants } from './invariants.ts';
import { type School, createSchool } from './test-school.ts';

const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url));
const KILLS = Number(process.env['CRASH_KILLS'] ?? 4);

let fixture: Fixture;
let school: School;
let service: ChildProcess | undefined;
beforeAll(async () => {
  fixture = await startFixture({ services: ['package', 'course'], env: { CALL_TIMEOUT_MS: '1500' } });
  school = createSchool(fixture, clockAt(Date.now()));
});
afterAll(async () => {
  await kill();
  await fixture?.stop();
});

/** Starts the class service as its own process, as in production. */
const start = async (): Promise<void> => {
  if (service !== undefined) throw new Error('the class service is already running');
  service = startProgram(process.execPath, [MAIN], { env: { ...process.env, ...fixture.envFor('clazz') } }).child;
  await expect.poll(async () => (await school.supervisor.get('/clazz/policy')).status).toBe(200);
};

/** Kills the service with SIGKILL: no signal handler runs and no connection is closed cleanly. */
const kill = async (): Promise<void> => {
  const running = service;
  service = undefined;
  if (running === undefined || running.exitCode !== null) return;
  const ended = once(running, 'exit');
  running.kill('SIGKILL');
  await ended;
};

interface SentRequest {
  send: () => Promise<Answer>;
  answer: Answer | undefined;
}

const isAnswered = ({ answer }: SentRequest): boolean => answer !== undefined && answer.status < 500;

it('a killed process has stored each request completely or not at all, and each can be repeated', async () => {
  await start();
  const students = school.students(5);
  const [first, second] = students as [string, string];
  const clazz_id = await school.classOf(students);
  const lessons = [await school.lesson(clazz_id, -2), await school.lesson(clazz_id, -4, { hours: '1.50' })] as const;
  for (const student of students) await school.grant(student, '500');
  const granted = 5 * 500;

  const { supervisor } = school;
  const marks = ['present', 'leave', 'absent', 'trial'];
  const sent: SentRequest[] = [];
  let transfers = 0;
  /** The next request of a caller. Every request has its own Idempotency-Key. */
  const next = (n: number): SentRequest => {
    const key = { 'idempotency-key': randomUUID() };
    if (n % 3 === 0) {
      transfers += 1;
      const body = { from_student_id: first, to_student_id: second, hours: '0.25', reason: 'siblings' };
      return { send: () => supervisor.post('/clazz/hour/transfer', body, key), answer: undefined };
    }
    const body = { marks: students.map((student_id, i) => ({ student_id, mark: marks[(n + i) % marks.length] })) };
    const { id } = lessons[n % 2 === 0 ? 0 : 1];
    return { send: () => supervisor.put(`/clazz/lesson/${id}/roll-call`, body, key), answer: undefined };
  };

  for (let round = 0; round < KILLS; round += 1) {
    const stop = { now: false };
    const caller = async (): Promise<void> => {
      while (!stop.now) {
        const one = next(sent.length);
        sent.push(one);
        one.answer = await one.send();
      }
    };
    const callers = Array.from({ length: 6 }, caller);
    const done = sent.filter(isAnswered).length;
    const wanted = done + 1 + Math.floor(Math.random() * 60);
    await expect.poll(() => sent.filter(isAnswered).length, { interval: 5 }).toBeGreaterThan(wanted);
    await kill();
    stop.now = true;
    await Promise.all(callers);
    expect(await brokenInvariants(fixture)).toEqual([]);
    await start();
    for (const one of sent.filter((it) => !isAnswered(it))) {
      one.answer = await one.send();
      expect(codeOf(one.answer), failureText(one.answer, '200 was expected')).toBe('200');
    }
  }
  expect(sent.map(({ answer }) => answer?.status)).toEqual(sent.map(() => 200));
  expect(await brokenInvariants(fixture)).toEqual([]);
  const kinds = await fixture.sql('select count(*)::int as n from clazz.hour_entry where kind = $1', ['transfer_in']);
  expect(kinds).toEqual([{ n: transfers }]);
  const balances = await Promise.all(students.map((student) => school.balance(student)));
  const charged = (await Promise.all(lessons.map((lesson) => school.rollCall(lesson.id)))).flatMap((it) => it.marks);
  const sum = (list: string[]): number => list.reduce((total, text) => total + Math.round(Number(text) * 100), 0);
  expect(sum(balances) + sum(charged.map((row) => row.charged_hours))).toBe(granted * 100);
});

it('a job expires hours of accounts that are not read, also after another organization’s job failed', async () => {
  const [student] = school.students(1) as [string];
  const expires_at = new Date(Date.now() + 5_000).toISOString();
  await school.grant(student, '3', { expires_at });
  // The organization that the job processes first has a policy that cannot be parsed.
  const org = '00000000-0000-4000-8000-000000000000';
  const body = { student_id: student, hours: '3', expires_at };
  await fixture.as({ role: 'SUPERVISOR', org }).ok(hourCalls.grantHours, { body });
  await fixture.sql(`insert into clazz.policy values ($1, 2, '{"zone": 7}', now(), 'nobody')`, [org]);
  await kill();
  await expect.poll(() => Date.now()).toBeGreaterThan(Date.parse(expires_at));
  await start();
  const balance = () =>
    fixture.sql('select balance from clazz.hour_account where student_id = $1 and org_id = $2', [student, fixture.org]);
  await expect.poll(balance).toEqual([{ balance: '0.00' }]);
  expect(await brokenInvariants(fixture)).toEqual([]);
});
