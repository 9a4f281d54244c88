import { type DeadLetter, deadLetterCalls, type ServiceName } from '../../libs/contracts/src/index.ts';
import { connectOperator } from '@teaching/local/internal-call.ts';
import type { Env } from '@teaching/local/service-env.ts';

/** More than a person reads. */
const SHOWN = 200;

export interface Desk {
  list(): Promise<{ items: DeadLetter[]; waiting: number }>;
  /** Applies what can be applied and answers how many that were. */
  replay(): Promise<number>;
  close(): Promise<void>;
}

/** The dead letters of one service, asked over the bus as its admin. */
export const openDesk = async (service: ServiceName, env: Env): Promise<Desk> => {
  const calls = deadLetterCalls(service);
  const operator = await connectOperator('dead-letters', env);
  return {
    list: () => operator.ask(calls.list, { after_seq: 0, limit: SHOWN }),
    replay: async () => (await operator.ask(calls.replay, {})).replayed,
    close: () => operator.close(),
  };
};
