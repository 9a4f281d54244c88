import { type Answer, ApiError, type Client, createClient, isProblem, rowsOf } from '../../../libs/client/src/index.ts';
import type { Role } from '../../../libs/contracts/src/scalars.ts';
import type { SchoolClazz } from './clazzes.ts';
import { personOf } from './people.ts';
import type { Length } from './term.rules.ts';

/** Requests in progress at once. */
export const PARALLEL = 8;
export const HEAD = 'hui-sun';

/** The school and its clients. */
export interface Wish {
  clazzes: readonly SchoolClazz[];
  length: Length;
  now: Date;
}

/** How the school is made: as its own people, through the API. */
export interface SchoolContext extends Wish {
  /** The API as one of the people sees it. */
  as: (user_id: string) => Client;
  /** As the head of the school. */
  office: Client;
  /** Called after each checked record, created or not. */
  onStep: () => void;
  /** A record that another person changed, and that is kept. */
  note: (line: string) => void;
}

export interface SchoolContextOptions extends Pick<SchoolContext, 'onStep' | 'note'> {
  wish: Wish;
  address: string;
  tokenFor: (sub: string, role: Role) => string;
}

export const createSchoolContext = ({ wish, address, tokenFor, ...rest }: SchoolContextOptions): SchoolContext => {
  const clients = new Map<string, Client>();
  const as = (user_id: string): Client => {
    const known = clients.get(user_id);
    if (known !== undefined) return known;
    const client = createClient({ base_url: address, token: tokenFor(user_id, personOf(user_id).role) });
    clients.set(user_id, client);
    return client;
  };
  return { ...wish, ...rest, as, office: as(HEAD) };
};

interface Page<T> {
  items: readonly T[];
  next_cursor: string | null;
}

/** All rows of a list. */
export const allOf = async <T>(list: (cursor: string | undefined) => Promise<Answer<Page<T>>>): Promise<T[]> => {
  const rows: T[] = [];
  for await (const row of rowsOf(list)) rows.push(row);
  return rows;
};

/** A random event that the timetable does not allow does not happen. */
export const unlessConflict = async (work: () => Promise<unknown>): Promise<void> => {
  try {
    await work();
  } catch (error) {
    if (!isProblem(error, 'schedule_conflict')) throw error;
  }
};

/** A step of the demo that changes of others do not allow is skipped with a note. */
export const unlessRefused = async (
  what: string,
  { note }: SchoolContext,
  work: () => Promise<unknown>,
): Promise<void> => {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500 || error.status < 404) throw error;
    note(`${what}: kept unchanged (${error.code})`);
  }
};
