import { vi } from 'vitest';
import { DatabaseClient } from '../../../libs/kit/src/db/database-client.ts';

/** The statement that binds the organization before a read. It is not counted. */
const BINDING = /^select set_config\('app\.org_id'/;

/** The statements sent while `work` runs, for each connection since its last `begin`. */
const statementsDuring = async (work: () => Promise<unknown>): Promise<string[][]> => {
  const sent = new Map<DatabaseClient, string[]>();
  const send: unknown = Reflect.get(DatabaseClient.prototype, 'send');
  const spy = vi.spyOn(DatabaseClient.prototype, 'send').mockImplementation(function counting(
    this: DatabaseClient,
    query,
    answered,
  ) {
    const isBegin = query.text.startsWith('begin');
    sent.set(this, isBegin ? ['begin'] : [...(sent.get(this) ?? []), query.text]);
    if (typeof send === 'function') Reflect.apply(send, this, [query, answered]);
  });
  try {
    await work();
  } finally {
    spy.mockRestore();
  }
  return [...sent.values()].map((texts) => texts.filter((text) => !BINDING.test(text)));
};

/** The statements of the first transaction with a statement that matches the pattern, in the order sent. */
export const transactionStatements = async (pattern: RegExp, work: () => Promise<unknown>): Promise<string[]> =>
  (await statementsDuring(work)).find((texts) => texts.some((text) => pattern.test(text))) ?? [];

/** The statements sent on any connection that match the pattern. */
export const matchingStatements = async (pattern: RegExp, work: () => Promise<unknown>): Promise<string[]> =>
  (await statementsDuring(work)).flat().filter((text) => pattern.test(text));
