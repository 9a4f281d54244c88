import type { AnyCall, Output, Request } from '@teaching/contracts';
import { asSystem, callService, connectBus, createLogger, createRequester } from '@teaching/kit';
import { adminBus } from './nats-address.ts';
import type { Env } from './service-env.ts';

const PATIENCE_MS = 60_000;

/** Asks services over the bus as an operator. */
export interface Operator {
  ask<C extends AnyCall>(call: C, body: Request<C>['body']): Promise<Output<C>>;
  close(): Promise<void>;
}

/** An operator's connection to the local system, or to the bus that NATS_URL and NATS_ADMIN_PASSWORD name. */
export const connectOperator = async (name: string, env: Env): Promise<Operator> => {
  const bus = await connectBus(adminBus(env), name, createLogger(name, 'error'));
  const requester = createRequester(bus);
  return {
    ask: (call, body) => callService(asSystem(requester, PATIENCE_MS), call, body),
    close: async () => {
      requester.stop();
      await bus.close();
    },
  };
};
