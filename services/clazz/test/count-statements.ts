import { vi } from 'vitest';
import { DatabaseClient } from '../../../libs/kit/src/db/database-client.ts';

/** The organization of a read is bound before it. */
const BINDING = /^select set_config\('app\.org_id'/;

/** The statements sent meanwhile, for each connection since its last `begin`. */
const sentDuring = async (work: () => Promise<unknown>): Promise<string[][]> => {
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

/** The statements of the transaction with one like this, as they went to the database. */
export const statementsOf = async (like: RegExp, work: () => Promise<unknown>): Promise<string[]> =>
  (await sentDuring(work)).find((texts) => texts.some((text) => like.test(text))) ?? [];

/** Statements like this one, wherever they went to the database. */
export const statementsLike = async (like: RegExp, work: () => Promise<unknown>): Promise<string[]> =>
  (await sentDuring(work)).flat().filter((text) => like.test(text));
