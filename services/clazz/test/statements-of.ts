import pg from 'pg';
import { vi } from 'vitest';

/** What a connection of the driver knows of statements by their names; its types do not tell. */
interface Prepared {
  parsedStatements: Record<string, string>;
  submittedNamedStatements: Record<string, string>;
}

/** Whose rows are seen is said before anything is asked. */
const BINDING = /set_config\('app\.org_id'/;

/** What went to the database meanwhile, for each connection since its last `begin`. */
const sentDuring = async (work: () => Promise<unknown>): Promise<string[][]> => {
  const sent = new Map<unknown, string[]>();
  const note = (on: unknown, text: string): void =>
    void sent.set(on, text === 'begin' ? [text] : [...(sent.get(on) ?? []), text]);
  const wire = pg.Connection.prototype;
  const original = Reflect.get(wire, 'bind') as (...args: unknown[]) => unknown;
  function counting(this: pg.Connection & Prepared, ...args: unknown[]): unknown {
    const [{ statement }] = args as [{ statement: string }];
    note(this, this.parsedStatements[statement] ?? this.submittedNamedStatements[statement] ?? '');
    return Reflect.apply(original, this, args);
  }
  const spy = vi.spyOn(wire, 'bind').mockImplementation(counting);
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
