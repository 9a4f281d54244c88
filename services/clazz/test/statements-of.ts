import pg from 'pg';
import { vi } from 'vitest';

/** The statements of the transaction with one like this, as they went to the database. */
export const statementsOf = async (like: RegExp, work: () => Promise<unknown>): Promise<string[]> => {
  const sent = new Map<unknown, string[]>();
  const original = Reflect.get(pg.Client.prototype, 'query') as (...args: unknown[]) => unknown;
  function counting(this: pg.Client, ...args: unknown[]): unknown {
    const [what] = args as [string | { text: string }];
    const text = typeof what === 'string' ? what : what.text;
    sent.set(this, text === 'begin' ? [text] : [...(sent.get(this) ?? []), text]);
    return Reflect.apply(original, this, args);
  }
  const spy = vi.spyOn(pg.Client.prototype, 'query').mockImplementation(counting);
  try {
    await work();
  } finally {
    spy.mockRestore();
  }
  return [...sent.values()].find((texts) => texts.some((text) => like.test(text))) ?? [];
};
