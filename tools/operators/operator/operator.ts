import type { AnyCall, Output, Request } from '../../../libs/contracts/src/index.ts';
import {
  systemCaller,
  callService,
  connectBus,
  createLogger,
  createRequester,
  type Env,
} from '../../../libs/kit/src/index.ts';
import { adminBus } from './bus.ts';

const PATIENCE_MS = 60_000;

/** Calls services over the bus as an operator. */
export interface Operator {
  ask<C extends AnyCall>(call: C, body: Request<C>['body']): Promise<Output<C>>;
  close(): Promise<void>;
}

/** An operator's connection to the local system, or to the bus that NATS_URL and NATS_ADMIN_PASSWORD name. */
export const connectOperator = async (name: string, env: Env): Promise<Operator> => {
  const bus = await connectBus(await adminBus(env), name, createLogger(name, 'error'));
  const requester = createRequester(bus);
  return {
    ask: (call, body) => callService(systemCaller(requester, PATIENCE_MS), call, body),
    close: async () => {
      requester.stop();
      await bus.close();
    },
  };
};

/** Connects for one piece of work. */
export const asOperator = async <T>(name: string, env: Env, work: (operator: Operator) => Promise<T>): Promise<T> => {
  const operator = await connectOperator(name, env);
  try {
    return await work(operator);
  } finally {
    await operator.close();
  }
};
