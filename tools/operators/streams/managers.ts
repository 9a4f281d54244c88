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

/** Opens the managers over an operator's connection. A service's account answers below its name as the domain. */
export const openManagers = async (nc: NatsConnection): Promise<StreamManagers> => {
  const services = SERVICES.filter((service) => logKindsOf(service).length > 0);
  const open = async (service: string) => [service, await jetstreamManager(nc, { domain: service })] as const;
  return new Map(await Promise.all(services.map(open)));
};

/** Manages the streams of all services as the broker's operator, over one connection with this name. */
export const withStreams = async <T>(
  bus: BusAddress,
  name: string,
  work: (managers: StreamManagers) => Promise<T>,
): Promise<T> => {
  const nc = await connectOnce(bus, name);
  try {
    const managers = await openManagers(nc).catch((cause: unknown) => {
      const text = 'The broker does not answer about its streams. Does it run with the accounts of this release?';
      throw new Error(`${text} (docs/upgrade.md, the broker's accounts: ${reasonOf(cause)})`, { cause });
    });
    return await work(managers);
  } finally {
    await nc.close();
  }
};
