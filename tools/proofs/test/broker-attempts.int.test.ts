import { isolatesAccounts } from '../../../libs/kit/src/ops/broker-isolation.rules.ts';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NatsConnection } from '@nats-io/transport-node';
import { clazzCalls } from '../../../libs/contracts/src/index.ts';
import { natsPasswords } from '@teaching/local/secrets.ts';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { covers } from '../../operators/broker/accounts.ts';
import { BROKER_CONFIG, usersConfig } from '../../operators/broker/config.ts';
import { declarations } from '../../operators/broker/declarations.ts';
import { createNatsServer, type NatsServer } from '../system/nats-server.ts';
import { type Group, effectiveAttempts } from './broker-attempts/attempts.ts';
import { BrokerState } from './broker-attempts/broker-state.ts';
import { directGroups } from './broker-attempts/direct-attempts.ts';
import { connectAs, Listeners } from './broker-attempts/listeners.ts';
import { ATTACKERS, isOfJetStream, PARTIES, type Party, READERS, STREAMS } from './broker-attempts/parties.ts';
import { replyGroups } from './broker-attempts/reply-attempts.ts';
import { streamGroups } from './broker-attempts/stream-attempts.ts';
import { exampleOf } from './broker-attempts/subject-patterns.ts';
import { type Extent, foreignActs, MARKER } from './broker-attempts/targets.ts';
import { type Fixture, startFixture } from './fixture.ts';
import { natsServers } from './newer-nats.ts';
import { POLL_OPTIONS } from './poll-options.ts';
import { IS_PROOF } from './proof-size.ts';

/** The installed server; as a proof, the oldest and the newest one that can be obtained. */
const programs = async (): Promise<(string | undefined)[]> => {
  if (!IS_PROOF) return [undefined];
  const found = (await natsServers()).flatMap((server) => ('path' in server ? [server.path] : []));
  return [...new Set([found[0], found.at(-1)])];
};

describe.each(await programs())('With the credentials of one user, at the broker %s', (program) => {
  let nats: NatsServer;
  let fixture: Fixture | undefined;
  let state: BrokerState;
  let listeners: Listeners;
  let folder: string;
  let extent: Extent;

  beforeAll(async () => {
    const { secrets } = inject('stack');
    folder = mkdtempSync(join(tmpdir(), 'teaching-attempts-'));
    const config = join(folder, 'nats.conf');
    writeFileSync(config, BROKER_CONFIG);
    writeFileSync(join(folder, 'users.conf'), usersConfig(declarations, READERS));
    nats = createNatsServer({ dataDir: folder, config, passwords: natsPasswords(secrets), program });
    await nats.start();
    if (IS_PROOF) fixture = await startFixture({ natsUrl: nats.url() });
    state = await BrokerState.open(nats.url(), secrets.nats.admin);
    listeners = await Listeners.open(nats.url(), secrets.nats);
    const version = listeners.connectionOf('gateway').info?.version ?? '';
    extent = { isFull: IS_PROOF, isCorrected: isolatesAccounts(version) };
  });
  afterAll(async () => {
    await listeners?.close();
    await state?.close();
    await fixture?.stop();
    await nats?.kill();
    rmSync(folder, { recursive: true, force: true });
  });

  const connected = (attacker: Party): Promise<NatsConnection> =>
    connectAs(attacker, nats.url(), inject('stack').secrets.nats);

  it('the test sees messages that permitted users publish', async () => {
    listeners.begin();
    const expected = PARTIES.flatMap(({ user, publish }) => {
      const subjects = publish.filter((pattern) => !isOfJetStream(pattern)).map(exampleOf);
      for (const subject of subjects) listeners.connectionOf(user).publish(subject, MARKER);
      return subjects.flatMap((subject) =>
        PARTIES.flatMap((party) => party.subscribe.map((pattern) => ({ user: party.user, pattern })))
          .filter(({ pattern }) => covers(pattern, subject))
          .map((receiver) => `${receiver.user} received ${subject} as ${receiver.pattern}`),
      );
    });
    await expect.poll(() => listeners.received(), POLL_OPTIONS).toEqual(expect.arrayContaining(expected));
    for (const { stream } of STREAMS) await state.restore(stream);
  });

  it('the test sees what operators change, and what the broker does for them in their account', async () => {
    const [gateway] = PARTIES;
    const [{ stream, service } = { stream: '', service: '' }] = STREAMS;
    if (gateway === undefined) throw new Error('the gateway has no user');
    const nc = state.connectionOf(stream);
    const seen: string[] = [];
    const attempt = async (name: string, subject: string, body: string, reply?: string): Promise<void> => {
      const before = await state.snapshot(gateway);
      nc.publish(subject, body, reply === undefined ? {} : { reply });
      await nc.flush();
      if ((await state.undoChanges(gateway, before)).length > 0) seen.push(name);
    };
    for (const { subject, body } of foreignActs(gateway, extent).filter((act) => act.subject.includes(`.${stream}`)))
      await attempt(subject.replaceAll(`${stream}.`, ''), `$JS.API.${subject}`, body);
    const info = `$JS.API.STREAM.INFO.${stream}`;
    await attempt('an event', info, '', `evt.any.${service}.forged`);
    const next = `$JS.API.CONSUMER.MSG.NEXT.${stream}.reader_all`;
    await attempt('a consumer', next, '{"no_wait":true,"batch":1000}', `$JS.API.CONSUMER.DELETE.${stream}.reader_one`);
    expect(seen).toEqual(
      expect.arrayContaining([
        `STREAM.DELETE.${stream}`,
        `STREAM.PURGE.${stream}`,
        `STREAM.UPDATE.${stream}`,
        `STREAM.MSG.DELETE.${stream}`,
        'CONSUMER.DURABLE.CREATE.intruder',
        'CONSUMER.DELETE.reader_one',
        'CONSUMER.DELETE.reader_all',
        'an event',
        'a consumer',
      ]),
    );
  });

  it.each(ATTACKERS)('no attempt of $user has an effect on others', async (attacker) => {
    const nc = await connected(attacker);
    const scene = { attacker, nc, state, listeners, leaks: [], subscriptions: [] };
    const groups: Group[] = [
      ...directGroups(attacker, extent),
      ...replyGroups(attacker, extent),
      ...streamGroups(attacker, extent),
    ];
    const before = await state.snapshot(attacker);
    const found: string[] = [];
    for (const group of groups) found.push(...(await effectiveAttempts(scene, group)));
    await nc.close();
    for (const stream of attacker.streams) await state.restore(stream);
    const count = groups.reduce((sum, { attempts }) => sum + attempts.length, 0);
    if (IS_PROOF) console.log(`${attacker.user}: ${found.length} of ${count} attempts have an effect`);
    expect(found).toEqual([]);
    // An effect that came late.
    expect([...(await state.snapshot(attacker))]).toEqual([...before]);
  });

  it.runIf(IS_PROOF)('the system works afterwards', async () => {
    const body = { name: 'After', lead_teacher_id: 'lee' };
    await fixture?.as({ role: 'SUPERVISOR' }).ok(clazzCalls.createClazz, { body });
  });
});
