import { natsPasswordName } from '@teaching/local/secrets.ts';
import { incompleteStreams } from '../system/nats-cluster.ts';
import { reasonNotJoined } from '../system/instance-health.ts';
import type { NatsServer } from '../system/nats-server.ts';
import { holdsWithin } from '../system/poll.ts';
import type { System } from '../system/start-system.ts';
import type { ProxiedInstance } from '../system/proxied-instances.ts';

const STOP_TIMEOUT_MS = 60_000;
const JOIN_TIMEOUT_MS = 60_000;

/** A process that can be lost and can return: a broker, an instance of a service, a gateway. */
export interface SystemPart {
  name: string;
  kill: () => Promise<void>;
  freeze: () => void;
  thaw: () => void;
  /** Stops it as its supervisor does. False when it does not end in time or not with exit code 0. */
  stop: () => Promise<boolean>;
  start: () => Promise<void>;
  /** Waits until it takes part again. Returns the reason when it does not in time. */
  reasonNotJoined: () => Promise<string | undefined>;
}

const ofInstance = (one: ProxiedInstance): SystemPart => ({
  name: one.name,
  kill: one.kill,
  freeze: one.freeze,
  thaw: one.thaw,
  stop: async () => (await one.stop(STOP_TIMEOUT_MS))?.code === 0,
  start: async () => one.start(),
  reasonNotJoined: () => reasonNotJoined(one, JOIN_TIMEOUT_MS),
});

const ofBroker = (system: System, one: NatsServer, index: number): SystemPart => ({
  name: `broker-${index + 1}`,
  kill: one.kill,
  freeze: one.freeze,
  thaw: one.thaw,
  stop: () => one.retire(STOP_TIMEOUT_MS),
  start: one.start,
  reasonNotJoined: async () => {
    let missing = ['the state of the streams is unknown'];
    const isBack = await holdsWithin(async () => {
      const { NATS_URL = '', [natsPasswordName('admin')]: password = '' } = system.operator();
      missing = await incompleteStreams(NATS_URL, password);
      return missing.length === 0;
    }, JOIN_TIMEOUT_MS);
    return isBack ? undefined : `broker-${index + 1} has not returned: ${missing.join('; ')}`;
  },
});

export const brokerParts = (system: System): SystemPart[] =>
  system.brokers.map((one, index) => ofBroker(system, one, index));

/** All instances of a service, or all gateways. */
export const partsOf = (system: System, service: string): SystemPart[] => system.instancesOf(service).map(ofInstance);
