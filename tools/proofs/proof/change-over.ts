import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { checkoutsOf } from '../../developers/bench/checkout.ts';
import { usersConfig } from '../../operators/broker/config.ts';
import { declarations } from '../../operators/broker/declarations.ts';
import { moveStreams } from '../../operators/streams/move-streams.ts';
import { adminBus } from '../../operators/operator/bus.ts';
import { createLoad } from '../faults/load.ts';
import { checkAtEnd, requireHealthy } from '../faults/scenario.ts';
import { OWN_CHECKOUT, type System } from '../system/start-system.ts';
import { onSystems } from './on-systems.ts';
import type { Proof, ProofOptions } from './proof.ts';
import { addToSingleAccount, createConsumer, createWarehouseReader, STREAM } from './warehouse-reader.ts';

const RELEASE = '0.2.0';
const STOP_TIMEOUT_MS = 20_000;
/** Messages that the reader has received but not acknowledged when the brokers stop. */
const LEFT = 3;

/** The folder of the broker's configuration and of the saved streams. */
const folderOf = ({ brokers: [first] }: System, count: number): string => {
  const own = dirname(first?.store ?? '');
  return count === 1 ? own : dirname(own);
};

/** The commands of docs/upgrade.md that give readers of the single account the domain. */
const giveDomain = (folder: string): void => {
  const commands = readFileSync(join(OWN_CHECKOUT, 'docs/upgrade.md'), 'utf8').match(/^sed .*$/gm) ?? [];
  assert.equal(commands.length, 2);
  for (const command of commands) execFileSync('sh', ['-c', command], { cwd: folder });
};

const move = async (system: System, folder: string, log: ProofOptions['log']) =>
  moveStreams(await adminBus(system.operator()), {
    folder: join(folder, 'saved'),
    dryRun: false,
    replace: false,
    print: log,
  });

/** Follows "The accounts of the broker" in docs/upgrade.md. */
const changeOver = async (system: System, count: number, log: ProofOptions['log']): Promise<string> => {
  const folder = folderOf(system, count);
  const warehouse = createWarehouseReader(system);
  addToSingleAccount(join(folder, 'users.conf'), warehouse.reader);
  giveDomain(folder);
  for (const broker of system.brokers) await broker.restart();
  await system.heal();
  await createConsumer(system);
  const load = await createLoad(system, { seed: 1 });
  await load.writeCount(150);
  await requireHealthy(system, load);
  const former = await warehouse.connect();
  assert.equal(await warehouse.read(former, 40), 40);
  assert.equal(await warehouse.read(former, LEFT, LEFT), LEFT);
  await former.close();

  for (const instance of system.instances) assert.notEqual(await instance.stop(STOP_TIMEOUT_MS), undefined);
  const saved = await move(system, folder, log);
  await Promise.all(system.brokers.map((broker) => broker.stop()));
  system.configureBrokers(OWN_CHECKOUT);
  writeFileSync(join(folder, 'users.conf'), usersConfig(declarations, [warehouse.reader]));
  await Promise.all(system.brokers.map((broker) => broker.start()));
  const moved = await move(system, folder, log);
  assert.deepEqual(moved.streams, saved.streams);
  await system.migrate(OWN_CHECKOUT);
  for (const instance of system.instances) instance.useCheckout(OWN_CHECKOUT);
  await system.heal();
  await load.writeCount(150);
  const { ok, line } = await checkAtEnd(system, load);
  assert.ok(ok, line);

  const later = await warehouse.connect();
  while ((await warehouse.read(later, 500)) > 0);
  await later.close();
  const { received } = warehouse;
  const found = new Set(received);
  const last = Math.max(...received);
  const before = saved.streams.find(({ name }) => name === STREAM)?.last_seq ?? Infinity;
  assert.ok(last > before, `the stream continues after ${before}`);
  assert.deepEqual(
    [...found].toSorted((a, b) => a - b),
    Array.from({ length: last }, (_, index) => index + 1),
  );
  assert.equal(received.length - found.size, LEFT, 'only unacknowledged messages arrive again');
  return `${count} brokers, ${last} messages: ${line}`;
};

/** Needs the commit of the release, so it fails in a shallow clone. */
export const changeOverProof: Proof = {
  name: 'change-over',
  about: `a system of release ${RELEASE} gets an account for each service; a reader misses nothing and gets nothing twice`,
  minutes: 3,
  count: 1,
  run: async ({ count, ...options }) => {
    const [, [, released] = ['', '']] = await checkoutsOf(RELEASE);
    const all = Array.from({ length: count }, () => [1, 3])
      .flat()
      .map((brokers) => ({
        checkout: released,
        brokers,
        direct: brokers > 1,
        env: { STREAM_REPLICAS: String(brokers) },
      }));
    return onSystems(all, options, async (system, { brokers }) =>
      options.log(await changeOver(system, brokers, options.log)),
    );
  },
};
