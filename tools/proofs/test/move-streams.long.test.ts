import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ChangingBrokers, publishAndRead, receive, startWithSingleAccount } from './single-account-broker.ts';
import { natsServers } from './newer-nats.ts';

const servers = (await natsServers()).flatMap((server) => ('path' in server ? [server] : []));
let brokers: ChangingBrokers;
beforeAll(async () => {
  brokers = await startWithSingleAccount(3, servers[0]?.path);
});
afterAll(() => brokers?.stop());

it('streams move from a cluster of the oldest nats-server to one of the newest with the position of a reader', async () => {
  const former = await brokers.connect('admin');
  await publishAndRead(former, 3);
  await former.close();
  await brokers.move();
  await brokers.restart('accounts', servers.at(-1)?.path);
  expect(await brokers.move()).toMatchObject({ done: 'moved', streams: [{ name: 'EVENTS_CLAZZ' }] });
  const operator = await brokers.connect('admin_clazz');
  expect(await receive(operator, 7)).toEqual([3, 5, 6, 7, 8, 9, 10]);
  await operator.close();
});
