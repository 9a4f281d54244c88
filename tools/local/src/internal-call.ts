import { z } from 'zod';
import type { AnyCall, Output, Request } from '@teaching/contracts';
import { asSystem, busConfig, callService, connectBus, createLogger, createRequester, readConfig } from '@teaching/kit';
import { dataDirFrom } from './data-dir.ts';
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
  const { url, password } = adminBus(dataDirFrom(env), env);
  const config = readConfig(z.object(busConfig), {
    NATS_URL: url,
    NATS_USER: 'admin',
    NATS_PASSWORD: password,
    SIGNING_SECRET: 'signs nothing: an operator seals no cursors',
  });
  const bus = await connectBus(config, name, createLogger(name, 'error'));
  const requester = createRequester(bus);
  return {
    ask: (call, body) => callService(asSystem(requester, PATIENCE_MS), call, body),
    close: async () => {
      requester.stop();
      await bus.close();
    },
  };
};
