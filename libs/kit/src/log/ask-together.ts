import { setTimeout as sleep } from 'node:timers/promises';
import type { Requester } from '../rpc/requester.ts';
import { askHowFar } from './ask-source.ts';
import type { Reach } from './messages.ts';

const AGAIN_MS = 100;

/** A source that nobody leads just now will be led in a moment. */
const patiently = async (patience_ms: number, question: () => Promise<Reach>): Promise<Reach> => {
  for (const until = Date.now() + patience_ms; Date.now() < until; await sleep(AGAIN_MS)) {
    try {
      return await question();
    } catch {
      // Asked again, or answered as not included.
    }
  }
  return {};
};

/** Asks a source how far a transaction reaches: once for all transactions that are asked about in one turn. */
export const askingTogether = (requester: Requester, patience_ms: number) => {
  const asked = new Map<string, Map<string, ((reach: Reach[string] | undefined) => void)[]>>();
  const send = async (service: string): Promise<void> => {
    const questions = asked.get(service) ?? new Map();
    asked.delete(service);
    const reach = await patiently(patience_ms, () => askHowFar(requester, service, [...questions.keys()], patience_ms));
    for (const [tx_id, answers] of questions) for (const answer of answers) answer(reach[tx_id]);
  };
  return (service: string, tx_id: string): Promise<Reach[string] | undefined> =>
    new Promise((resolve) => {
      const questions = asked.get(service) ?? new Map();
      if (questions.size === 0) setImmediate(() => void send(service));
      asked.set(service, questions);
      questions.set(tx_id, [...(questions.get(tx_id) ?? []), resolve]);
    });
};
