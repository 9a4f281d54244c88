import { jetstreamManager, type JetStreamManager } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import { openManagers, type StreamManagers } from './managers.ts';
import { withRetries } from './with-retries.ts';

/** A single account, as in release 0.2.0, or one for each service. */
export type BrokerLayout =
  | { accounts: 'single'; manager: JetStreamManager }
  | { accounts: 'per service'; managers: StreamManagers };

/** An account without JetStream answers `$JS.API` with an error. `$JS.<service>.API` exists only with its account. */
const readLayout = async (nc: NatsConnection): Promise<BrokerLayout> => {
  try {
    return { accounts: 'single', manager: await jetstreamManager(nc) };
  } catch {
    return { accounts: 'per service', managers: await openManagers(nc) };
  }
};

/** The layout of a running broker, as soon as its streams are ready. */
export const brokerLayout = (nc: NatsConnection): Promise<BrokerLayout> => withRetries(() => readLayout(nc));
