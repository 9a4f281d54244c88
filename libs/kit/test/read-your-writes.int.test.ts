import { randomUUID } from 'node:crypto';
import { call, courseEvents, STAFF } from '@teaching/contracts';
import { z } from 'zod';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { createSigner } from '../src/base/signer.ts';
import { type FollowerDefinition, eventsOf, routes } from '../src/index.ts';
import { signWriteToken } from '../src/rpc/tokens.ts';
import { connectCaller, type TestCaller } from './test-caller.ts';
import { createProbe, type Probe } from './probe/probe.ts';
import { startFixtureService, type FixtureServiceSystem } from './fixture-service/fixture-service.ts';
import { fixtureServiceCalls } from './fixture-service/calls.ts';

/** Returns whether the write of the token is applied in the following service. */
const included = call({
  id: 'stats.fixture.included',
  summary: 'Whether a write is applied here',
  roles: STAFF,
  access: 'all',
  writes: false,
  output: z.object({ included: z.boolean() }),
});

let fixture: FixtureServiceSystem;
let caller: TestCaller;
let probe: Probe;
/** The follower applies an event once this promise resolves. */
let gate: Promise<void> = Promise.resolve();
let open: () => void = () => {};
const poison = new Set<string>();

const follower: FollowerDefinition = {
  name: 'probe',
  follows: [courseEvents.membersChanged],
  apply: (batch) => {
    const changed = eventsOf(batch, courseEvents.membersChanged);
    return async () => {
      await gate;
      if (changed.some(({ data }) => data.members.some(({ display_name }) => poison.has(display_name))))
        throw new Error('cannot be applied');
    };
  },
};

beforeAll(async () => {
  fixture = await startFixtureService();
  caller = await connectCaller(fixture);
  probe = await createProbe(fixture);
});
afterAll(async () => {
  await caller?.stop();
  await fixture?.stop();
});
beforeEach(async () => {
  await probe.clear();
  gate = Promise.resolve();
  fixture.service.actions.write = async (session, title) => {
    const members = [{ user_id: 'li', role: 'TEACHER' as const, display_name: title }];
    session.emit(courseEvents.membersChanged, 'members', { members });
    return { title };
  };
});
afterEach(async () => {
  open();
  await probe.stop();
});

const start = () =>
  probe.start({
    follower,
    modules: [
      {
        routes: routes(
          { included },
          { included: async (_input, session) => ({ included: await session.includesWrite() }) },
        ),
      },
    ],
  });
const write = async (title: string): Promise<string> =>
  (await caller.performCall(fixtureServiceCalls.write, { title })).head.consistency_token ?? '';
const isIncluded = async (consistency_token: string): Promise<boolean> =>
  (await caller.performCall(included, undefined, { consistency_token })).body.included;
const tokenOf = (parts: object): string => {
  const signer = createSigner(fixture.envFor('course')['SIGNING_SECRET'] ?? '');
  return signWriteToken(signer, fixture.org, { service: 'course', tx_id: randomUUID(), events: 1, ...parts });
};
/** Events are not applied until `open` is called. */
const close = (): void => {
  gate = new Promise((resolve) => {
    open = resolve;
  });
};
const timed = async <T>(work: Promise<T>): Promise<[T, number]> => {
  const begun = Date.now();
  return [await work, Date.now() - begun];
};

it('a read with the token of a write waits until the write is applied', async () => {
  await start();
  expect(await isIncluded(await write('at once'))).toBe(true);
  close();
  const waiting = isIncluded(await write('a little later'));
  expect(await Promise.race([waiting, new Promise((resolve) => setTimeout(resolve, 300))])).toBeUndefined();
  open();
  expect(await waiting).toBe(true);
});

it('a read with the token of a write waits for its follow-ups as well', async () => {
  await start();
  const emitsInTransaction = fixture.service.actions.write;
  fixture.service.actions.write = async (session, title) => {
    session.addFollowUp(async (next) => void (await emitsInTransaction(next, title)));
    return { title };
  };
  close();
  const waiting = isIncluded(await write('followed'));
  expect(await Promise.race([waiting, new Promise((resolve) => setTimeout(resolve, 300))])).toBeUndefined();
  open();
  expect(await waiting).toBe(true);
});

it('a read with the token of a write is told that the write is missing after about two seconds', async () => {
  await start();
  close();
  const [answer, ms] = await timed(isIncluded(await write('too late')));
  expect(answer).toBe(false);
  expect(ms).toBeGreaterThan(1_500);
});

it('a write without followed events is included in every answer', async () => {
  await start();
  fixture.service.reset();
  expect(await isIncluded(await write('nothing told'))).toBe(true);
});

it('a write that does not exist, or was undone, is not waited for', async () => {
  await start();
  await isIncluded(await write('the log is there'));
  close();
  const order: string[] = [];
  const waited = isIncluded(await write('waited for')).then(() => order.push('waited for'));
  expect(await isIncluded(tokenOf({}))).toBe(false);
  order.push('never was');
  await waited;
  expect(order).toEqual(['never was', 'waited for']);
});

it('a write with a dead letter is not included, and later writes of other organizations are', async () => {
  poison.add('bad');
  await start();
  const bad = await write('bad');
  await expect.poll(async () => (await probe.deadLetters()).length).toBe(1);
  // Writes of another organization are applied.
  const org_id = randomUUID();
  const writeTheirs = async (): Promise<string> =>
    (await caller.performCall(fixtureServiceCalls.write, { title: 'good' }, { org_id })).head.consistency_token ?? '';
  const isTheirsIncluded = async (consistency_token: string): Promise<boolean> =>
    (await caller.performCall(included, undefined, { org_id, consistency_token })).body.included;
  await expect.poll(async () => isTheirsIncluded(await writeTheirs())).toBe(true);
  // A read for the failed write is answered at once, while an earlier read still waits for its write.
  close();
  const waiting = isTheirsIncluded(await writeTheirs());
  expect(await Promise.race([waiting.then(() => 'waited'), isIncluded(bad)])).toBe(false);
  open();
  expect(await waiting).toBe(true);
});

it('64 reads of an organization wait, further ones are answered at once, and other organizations are not affected', async () => {
  await start();
  close();
  const other = { org_id: randomUUID() };
  const theirs =
    (await caller.performCall(fixtureServiceCalls.write, { title: 'theirs' }, other)).head.consistency_token ?? '';
  const ours = await write('ours');
  const answered: boolean[] = [];
  const readers = Array.from({ length: 100 }, async () => {
    const answer = await isIncluded(ours);
    answered.push(answer);
    return answer;
  });
  await expect.poll(() => answered.length, { interval: 5 }).toBe(36);
  expect(answered).toEqual(answered.map(() => false));
  const otherRead = caller.performCall(included, undefined, { ...other, consistency_token: theirs });
  expect(await Promise.race([otherRead, new Promise((resolve) => setTimeout(resolve, 50))])).toBeUndefined();
  open();
  expect((await otherRead).body).toEqual({ included: true });
  expect((await Promise.all(readers)).filter(Boolean)).toHaveLength(64);
  // The waiting reads have ended, so others may wait.
  expect(await isIncluded(await write('again'))).toBe(true);
});

it('a token that is malformed or of another organization is refused at once', async () => {
  await start();
  close();
  const token = await write('nobody has it yet');
  const waiting = isIncluded(token);
  const refusals = Promise.all(
    [{ consistency_token: 'forged' }, { consistency_token: token, org_id: randomUUID() }].map((head) =>
      caller.performCall(included, undefined, head),
    ),
  );
  const first = await Promise.race([refusals, waiting]);
  expect(first).toMatchObject([{ head: { status: 400 } }, { head: { status: 400 } }]);
  open();
  expect(await waiting).toBe(true);
});

it('a token of the first release, which does not name the service, is looked up in all followed logs', async () => {
  await start();
  const token = await write('old token');
  expect(await isIncluded(token)).toBe(true);
  const [row] = (await fixture.events('course', 'course.member.changed')).slice(-1);
  expect(await isIncluded(tokenOf({ service: undefined, tx_id: row?.tx_id }))).toBe(true);
});

it('an instance that is not the leader of the follower reads the offset of the leader', async () => {
  await start();
  await isIncluded(await write('the first follows'));
  await start();
  const answers = [];
  for (let n = 0; n < 8; n += 1) answers.push(await isIncluded(await write(`n${n}`)));
  expect(answers).toEqual(answers.map(() => true));
});

it('no write is known to be included while the source has no leader', async () => {
  await start();
  const token = tokenOf({});
  await fixture.service.stop();
  expect(await isIncluded(token)).toBe(false);
  await fixture.service.start();
});
