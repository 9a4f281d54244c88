import type { Load } from './load.ts';
import type { Random } from './random.ts';
import type { System } from '../system/start-system.ts';
import type { ProxiedInstance } from '../system/proxied-instances.ts';

export interface Fault {
  name: string;
  strike: () => Promise<void>;
  heal: () => Promise<void>;
}

/** A process that waits for a broken server may need longer to stop. The fault does not wait for it. */
const STOP_MS = 1_000;

const doNothing = async (): Promise<void> => undefined;

const ofInstance = (one: ProxiedInstance): Fault[] => [
  { name: `kill ${one.name}`, strike: one.kill, heal: async () => one.start() },
  { name: `stop ${one.name}`, strike: async () => void (await one.stop(STOP_MS)), heal: async () => one.start() },
  { name: `freeze ${one.name}`, strike: async () => one.freeze(), heal: async () => one.thaw() },
];

const ofWires = (one: ProxiedInstance): Fault[] =>
  [[one.toPostgres, 'Postgres'] as const, [one.toNats, 'the broker'] as const].flatMap(([proxy, server]) => {
    if (proxy === undefined) return [];
    const heal = async (): Promise<void> => proxy.heal();
    return [
      { name: `cut ${one.name} from ${server}`, strike: async () => proxy.set('cut'), heal },
      { name: `half-open ${one.name} to ${server}`, strike: async () => proxy.set('half-open'), heal },
      { name: `silence ${one.name} to ${server}`, strike: async () => proxy.silence(), heal },
      { name: `delay ${one.name} to ${server}`, strike: async () => proxy.delay(150), heal },
      ...(server === 'Postgres'
        ? [{ name: `cut ${one.name} after COMMIT`, strike: async () => proxy.cutAfterCommit(5), heal }]
        : []),
    ];
  });

const ofServers = ({ postgres, nats }: System, load: Load): Fault[] => [
  { name: 'kill Postgres', strike: postgres.kill, heal: postgres.start },
  { name: 'stop Postgres', strike: postgres.stop, heal: postgres.start },
  { name: 'freeze Postgres', strike: async () => postgres.freeze(), heal: async () => postgres.thaw() },
  {
    name: 'put Postgres back',
    strike: async () => load.noteRestore(await postgres.restoreCopy('older')),
    heal: doNothing,
  },
  { name: 'kill the broker', strike: nats.kill, heal: nats.start },
  { name: 'stop the broker', strike: nats.stop, heal: nats.start },
  { name: 'freeze the broker', strike: async () => nats.freeze(), heal: async () => nats.thaw() },
  { name: "delete the broker's store", strike: nats.deleteStore, heal: doNothing },
  { name: "put the broker's store back", strike: () => nats.restoreCopy('older'), heal: doNothing },
];

/** Draws a fault of a server as often as one of an instance, because server faults are the severe ones. */
export const drawFault = (system: System, load: Load, random: Random): Fault => {
  if (random.below(2) === 0) return random.pick(ofServers(system, load));
  const one = random.pick(system.instances);
  return random.pick([...ofInstance(one), ...ofInstance(one), ...ofWires(one)]);
};
