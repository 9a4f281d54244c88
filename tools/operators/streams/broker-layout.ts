import { jetstreamManager, type JetStreamManager } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import { SERVICES } from '../../../libs/contracts/src/registry.ts';
import { logKindsOf } from '../../../libs/kit/src/log/source-term.ts';
import { withRetries } from './with-retries.ts';

/** A single account, as in release 0.2.0, or one for each service. */
export type BrokerLayout =
  | { accounts: 'single'; manager: JetStreamManager }
  | { accounts: 'per service'; managers: ReadonlyMap<string, JetStreamManager> };

const publishers = SERVICES.filter((service) => logKindsOf(service).length > 0);

/** An account without JetStream answers `$JS.API` with an error. `$JS.<service>.API` exists only with its account. */
const readLayout = async (nc: NatsConnection): Promise<BrokerLayout> => {
  try {
    return { accounts: 'single', manager: await jetstreamManager(nc) };
  } catch {
    const open = async (service: string) => [service, await jetstreamManager(nc, { domain: service })] as const;
    return { accounts: 'per service', managers: new Map(await Promise.all(publishers.map(open))) };
  }
};

/** The layout of a running broker, as soon as its streams are ready. */
export const brokerLayout = (nc: NatsConnection): Promise<BrokerLayout> => withRetries(() => readLayout(nc));
