import type { NatsConnection } from '@nats-io/transport-node';
import { jetstreamManager, type JetStreamManager } from '@nats-io/jetstream';
import { SERVICES } from '../../../libs/contracts/src/registry.ts';
import { type BusAddress, connectOnce } from '../../../libs/kit/src/rpc/bus-login.ts';
import { reasonOf } from '../../../libs/kit/src/telemetry/failure-log.ts';
import { logKindsOf } from '../../../libs/kit/src/log/source-term.ts';

/** The manager of the streams in the account of each service. */
export type StreamManagers = ReadonlyMap<string, JetStreamManager>;

export const managerOf = (managers: StreamManagers, service: string): JetStreamManager => {
  const manager = managers.get(service);
  if (manager === undefined) throw new Error(`The service ${service} has no streams`);
  return manager;
};

/** A service's account answers below its name as the domain. */
const openManager = async (nc: NatsConnection, service: string): Promise<[string, JetStreamManager]> => {
  try {
    return [service, await jetstreamManager(nc, { domain: service })];
  } catch (error) {
    const text = 'The broker does not answer about its streams. Does it run with the accounts of this release?';
    throw new Error(`${text} (docs/upgrade.md, the broker's accounts; ${service}: ${reasonOf(error)})`, {
      cause: error,
    });
  }
};

/** Manages the streams of all services as the broker's operator, over one connection with this name. */
export const withStreams = async <T>(
  bus: BusAddress,
  name: string,
  work: (managers: StreamManagers) => Promise<T>,
): Promise<T> => {
  const nc = await connectOnce(bus, name);
  try {
    const services = SERVICES.filter((service) => logKindsOf(service).length > 0);
    return await work(new Map(await Promise.all(services.map((service) => openManager(nc, service)))));
  } finally {
    await nc.close();
  }
};
