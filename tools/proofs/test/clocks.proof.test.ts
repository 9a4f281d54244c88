import { randomUUID } from 'node:crypto';
import { freePort } from '@teaching/local/ports.ts';
import type { Env } from '@teaching/local/service-env.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createRequestKinds,
  failureSummary,
  isSuccess,
  type RequestKinds,
  runTraffic,
  startTraffic,
  waitForSuccesses,
} from '../faults/traffic.ts';
import { hasJoinedWithin } from '../system/instance-health.ts';
import { type Answer, type Api, type ApiRequest, listAt, textAt } from '../system/plain-api.ts';
import type { ProxiedInstance } from '../system/proxied-instances.ts';
import { shiftedClock } from '../system/shifted-clock.ts';
import { OWN_CHECKOUT, startSystem, type System } from '../system/start-system.ts';

const HOUR_S = 3_600;
const RATE = 25;
const TRAFFIC_MS = 6_000;
/** Time until 30 requests in a row succeed after a part was restarted. */
const SETTLE_TIMEOUT_MS = 20_000;
const STOP_TIMEOUT_MS = 20_000;
const JOIN_TIMEOUT_MS = 60_000;

let system: System;
let kinds: RequestKinds;
let org: string;
const metricsPorts = new Map<ProxiedInstance, number>();

/** Sends requests one after the other until one fails. Returns the last answer, and all answers so far. */
const sendInTurn = async (api: Api, requests: readonly ((all: Answer[]) => Omit<ApiRequest, 'org'>)[]) => {
  const all: Answer[] = [];
  for (const request of requests) {
    const answer = await api({ org, ...request(all) });
    all.push(answer);
    if (answer.status >= 300 || answer.status === 0) return answer;
  }
  return all.at(-1) ?? { status: 0, body: {}, token: undefined, retryAfter: undefined };
};
const idIn = (answer: Answer | undefined): string => textAt(answer?.body, 'id');

/** Writes whose later steps meet times that another instance stored. */
const lives = (api: Api): RequestKinds => ({
  'write life of a class': () => {
    const [student, teacher] = [`s-${randomUUID()}`, `t-${randomUUID()}`];
    const start = Date.now() - 5 * HOUR_S * 1_000;
    const lesson = { starts_at: new Date(start).toISOString(), ends_at: new Date(start + 1_800_000).toISOString() };
    const of = (all: readonly Answer[], path: string): string => `/clazz/${idIn(all[0])}${path}`;
    const post = { method: 'POST' };
    return sendInTurn(api, [
      () => ({ ...post, path: '/clazz', body: { name: 'Class', lead_teacher_id: teacher } }),
      (all) => ({ ...post, path: of(all, '/activate') }),
      (all) => ({ ...post, path: of(all, '/student'), body: { student_ids: [`${student}x`] } }),
      (all) => ({ ...post, path: of(all, `/student/${student}x/withdraw`) }),
      (all) => ({
        ...post,
        path: of(all, '/student'),
        body: { student_ids: [student], since: new Date(start - 86_400_000).toISOString() },
      }),
      (all) => ({ ...post, path: of(all, '/lesson'), body: { ...lesson, teacher_id: teacher, hours: '1.00' } }),
      (all) => ({
        method: 'PUT',
        path: `/clazz/lesson/${idIn(all[5])}/roll-call`,
        body: { marks: [{ student_id: student, mark: 'present' }] },
      }),
      (all) => ({ path: `/clazz/lesson/${idIn(all[5])}/roll-call` }),
      (all) => ({ ...post, path: of(all, `/student/${student}/withdraw`) }),
    ]);
  },
  'write course that is deleted': () =>
    sendInTurn(api, [
      () => ({ method: 'POST', path: '/ws/course', body: { title: 'Short' } }),
      (all) => ({ method: 'DELETE', path: `/ws/course/${idIn(all[0])}` }),
    ]),
  'write that is repeated with its key': (n) => {
    const body = { student_id: `k${n}`, hours: '2.00' };
    const grant = { method: 'POST', path: '/clazz/hour/grant', body, idempotencyKey: randomUUID() };
    return sendInTurn(api, [() => grant, () => grant]);
  },
});

const clocksIn = async ({ address }: ProxiedInstance): Promise<Record<string, number>> => {
  const response = await fetch(`${address}/health/ready`);
  expect(response.status).toBe(200);
  const body: unknown = await response.json();
  return Object.fromEntries(listAt(body, 'clocks').map((one) => [textAt(one, 'part'), Number(textAt(one, 'skew_s'))]));
};
/** The skews above a minute in the metrics of an instance, by part, in seconds. */
const skewsIn = async (one: ProxiedInstance): Promise<Record<string, number>> => {
  const text = await (await fetch(`http://127.0.0.1:${metricsPorts.get(one)}/metrics`)).text();
  const found = [...text.matchAll(/^teaching_clock_skew\{.*part="(\w+)".*\} (\S+)$/gm)];
  return Object.fromEntries(found.map(([, part = '', value]) => [part, Number(value)]));
};

const instanceNamed = (name: string): ProxiedInstance => {
  const found = system.instances.find((one) => one.name === name);
  if (found === undefined) throw new Error(`no instance ${name}`);
  return found;
};
const restart = async (names: readonly string[], shift: Env): Promise<void> => {
  const all = names.map(instanceNamed);
  await Promise.all(
    all.map(async (one) => {
      await one.stop(STOP_TIMEOUT_MS);
      one.configure({ ...shift, METRICS_PORT: String(metricsPorts.get(one)) });
      one.start();
    }),
  );
  for (const one of all) expect(await hasJoinedWithin(one, JOIN_TIMEOUT_MS), one.logSinceStart()).toBe(true);
};
const restartPostgres = async (shift: Env): Promise<void> => {
  await system.postgres.stop();
  system.postgres.configure(shift);
  await system.heal();
};
const everything = (): string[] => system.instances.map(({ name }) => name);

interface Part {
  shift: (env: Env) => Promise<void>;
  /** Instances whose reports show the skew, each with the part that it names and the sign. */
  shownBy: readonly (readonly [instance: string, part: string, sign: 1 | -1])[];
}
const PARTS: Readonly<Record<string, Part>> = {
  'the gateway': {
    shift: (env) => restart(['gateway-1'], env),
    shownBy: [
      ['gateway-1', 'clazz', -1],
      ['gateway-1', 'course', -1],
    ],
  },
  'one of two instances of the class service': {
    shift: (env) => restart(['clazz-2'], env),
    shownBy: [
      ['gateway-1', 'clazz', 1],
      ['clazz-2', 'postgres', -1],
    ],
  },
  'the course service': {
    shift: (env) => restart(['course-1'], env),
    shownBy: [['gateway-1', 'course', 1]],
  },
  Postgres: { shift: restartPostgres, shownBy: [['clazz-1', 'postgres', 1]] },
};

beforeAll(async () => {
  // A token of this age is also valid at a gateway whose clock is an hour behind.
  system = await startSystem({
    checkout: OWN_CHECKOUT,
    instances: { clazz: 2 },
    tokenAgeSeconds: 2 * HOUR_S,
    env: { CALL_TIMEOUT_MS: '10000' },
  });
  for (const one of system.instances) metricsPorts.set(one, await freePort());
  await restart(everything(), {});
  org = randomUUID();
  kinds = { ...(await createRequestKinds(system.api, org)), ...lives(system.api) };
});
afterAll(() => system?.end());

const expectNoFailure = async (): Promise<void> => {
  // Instances may not have noticed yet that Postgres is back.
  const first = startTraffic(kinds, RATE);
  expect(await waitForSuccesses(first, 0, SETTLE_TIMEOUT_MS), failureSummary(first.shots.slice(-50))).toBe(true);
  await first.stop();
  const shots = await runTraffic(kinds, RATE, TRAFFIC_MS);
  console.log(`${shots.filter(isSuccess).length} of ${shots.length} succeeded; failures: ${failureSummary(shots)}`);
  const reasons = system.instances.flatMap((one) =>
    one
      .logSinceStart()
      .split('\n')
      .filter((line) => line.includes('call failed')),
  );
  expect(failureSummary(shots), reasons.join('\n')).toBe('none');
};

describe('A request succeeds, and the skew is shown, while', () => {
  const shifts = [
    ['an hour ahead', HOUR_S],
    ['an hour behind', -HOUR_S],
  ] as const;
  const cases = [
    ...Object.entries(PARTS).flatMap(([name, part]) =>
      shifts.map(([is, shift_s]) => [name, is, shift_s, part] as const),
    ),
    [
      'one of two instances of the class service',
      '20 seconds ahead',
      20,
      PARTS['one of two instances of the class service'],
    ] as const,
  ];
  it.each(cases)('the clock of %s is %s', async (_name, _is, shift_s, part) => {
    if (part === undefined) throw new Error('no such part');
    await part.shift(await shiftedClock(shift_s));
    try {
      await expectNoFailure();
      for (const [name, shown, sign] of part.shownBy) {
        const one = instanceNamed(name);
        expect((await clocksIn(one))[shown], `${name} shows ${shown}`).toBeCloseTo(sign * shift_s, -1);
        expect((await skewsIn(one))[shown], `${name} measures ${shown}`).toBeCloseTo(sign * shift_s, -1);
      }
    } finally {
      await part.shift({});
    }
  });

  // A clock of nats-server cannot be shifted, so those of all other parts are.
  it.each(shifts)('the clocks of all parts but the broker are %s', async (_is, shift_s) => {
    const env = await shiftedClock(shift_s);
    await restartPostgres(env);
    await restart(everything(), env);
    await expectNoFailure();
    expect(await clocksIn(instanceNamed('clazz-1'))).toEqual({});
    await restartPostgres({});
    await restart(everything(), {});
  });

  it('all clocks are right, of which no skew is reported', async () => {
    await expectNoFailure();
    for (const one of system.instances) expect(await clocksIn(one)).toEqual({});
  });
});
