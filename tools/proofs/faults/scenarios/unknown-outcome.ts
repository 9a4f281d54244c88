import { randomUUID } from 'node:crypto';
import type { Answer } from '../../system/plain-api.ts';
import { textAt } from '../../system/plain-api.ts';
import { holdsWithin, waitFor, pause } from '../../system/poll.ts';
import { type ScenarioOptions, type ScenarioResult, type Scenario } from '../scenario.ts';
import type { System } from '../../system/start-system.ts';

const TIMES = 5;
/** The attempts until a fault hits a running call. That depends on the speed of the machine. */
const MAX_ATTEMPTS = 12;
const LATE_MS = 200;
const STORED = 'select count(*)::int as n from clazz.hour_lot where org_id = $1 and student_id = $2';

/** A way to lose the answer after the write was sent. */
interface Way {
  about: string;
  lose: (system: System, student: string) => void | Promise<void>;
}

const WAYS: readonly Way[] = [
  {
    about: 'connection cut after COMMIT',
    lose: (system, student) => {
      for (const one of system.instancesOf('clazz')) one.toPostgres?.cutAfterCommit(1, student);
    },
  },
  {
    about: 'gateway loses the bus during a call',
    lose: async (system) => {
      for (const one of system.instancesOf('clazz')) one.toPostgres?.delay(LATE_MS);
      await pause(LATE_MS);
      for (const one of system.instancesOf('gateway')) one.toNats.set('cut');
    },
  },
  {
    about: 'service loses the bus during a call',
    lose: async (system) => {
      for (const one of system.instancesOf('clazz')) one.toPostgres?.delay(LATE_MS);
      await pause(LATE_MS);
      for (const one of system.instancesOf('clazz')) one.toNats.set('cut');
    },
  },
];

const heal = async (system: System): Promise<void> => {
  for (const one of system.instances) {
    one.toPostgres?.heal();
    one.toNats.heal();
  }
  const isBack = async (): Promise<boolean> =>
    (await system.api({ path: '/clazz/policy', org: randomUUID() })).status === 200;
  await waitFor('the system answers again', isBack, 60_000);
};

const describeAnswer = ({ status, body, retryAfter }: Answer): string =>
  `${status === 0 ? 'nothing' : status}${textAt(body, 'code') === '' ? '' : ` ${textAt(body, 'code')}`}${retryAfter === undefined ? '' : ' with Retry-After'}`;

/** Whether the answer says that the write may have been stored, and does not invite a plain retry. */
const isUnknownOutcome = ({ status, body, retryAfter }: Answer): boolean =>
  status === 504 && textAt(body, 'code') === 'outcome_unknown' && retryAfter === undefined;

const tryWay = async (system: System, { about, lose }: Way, times: number): Promise<ScenarioResult> => {
  const org = randomUUID();
  const stored = async (student: string): Promise<number> =>
    (await system.postgres.sql<{ n: number }>(STORED, [org, student]))[0]?.n ?? 0;
  const answers: string[] = [];
  let [ok, hits, doubled] = [true, 0, 0];
  for (let n = 1; n <= times || (hits === 0 && n <= MAX_ATTEMPTS); n += 1) {
    const student_id = `lost-${randomUUID()}`;
    const body = { student_id, hours: '1.00' };
    const idempotencyKey = n % 2 === 0 ? randomUUID() : undefined;
    const key = idempotencyKey === undefined ? {} : { idempotencyKey };
    const send = (): Promise<Answer> =>
      system.api({ method: 'POST', path: '/clazz/hour/grant', org, body, timeout: 8_000, ...key });
    const [sending] = [send(), lose(system, student_id)];
    const first = await sending;
    await heal(system);
    // A write that runs when its answer is lost may still be stored.
    const isStored = await holdsWithin(async () => (await stored(student_id)) > 0, 1_500);
    answers.push(`${describeAnswer(first)}${isStored ? ', stored' : ', not stored'}`);
    if (isStored) hits += 1;
    // A caller may rely on both answers: "stored" and "not stored".
    ok &&= first.status === 201 ? isStored : isUnknownOutcome(first) || !isStored;
    if (idempotencyKey === undefined) continue;
    const again = await send();
    if ((await stored(student_id)) !== 1 || again.status !== 201) doubled += 1;
  }
  const kinds = Object.entries(Object.groupBy(answers, (answer) => answer)).map(
    ([answer, all]) => `${all?.length} × ${answer}`,
  );
  const line = `${about}: ${kinds.join('; ')}${hits === 0 ? ' (the fault missed)' : ''}; repeated with the same key ${doubled} stored other than once`;
  return { ok: ok && doubled === 0 && hits > 0, line };
};

export const unknownOutcome: Scenario = {
  name: 'outcome',
  about:
    'the answer to a write is lost: a write that may be stored answers outcome_unknown, and a retry with its key is safe',
  run: async (system, { short }: ScenarioOptions) => {
    // Open and warm up all connections first.
    await heal(system);
    const found: ScenarioResult[] = [];
    for (const way of WAYS) found.push(await tryWay(system, way, short ? 2 : TIMES));
    return { ok: found.every(({ ok }) => ok), line: found.map(({ line }) => line).join(' | ') };
  },
};
