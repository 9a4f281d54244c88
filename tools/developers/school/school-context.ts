import { type Answer, ApiError, type Client, createClient, isProblem, rowsOf } from '../../../libs/client/src/index.ts';
import type { Role } from '../../../libs/contracts/src/scalars.ts';
import type { SchoolClazz } from './clazzes.ts';
import { personOf } from './people.ts';
import type { Length } from './term.rules.ts';

/** Requests under way at once. */
export const PARALLEL = 8;
export const HEAD = 'hui-sun';

/** What is made, and for whom. */
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
  /** Told after each thing that was looked at, made or not. */
  onStep: () => void;
  /** Something that somebody else had changed, so that it is left as it is. */
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

/** What chance wanted and the timetable does not allow does not happen. */
export const unlessConflict = async (work: () => Promise<unknown>): Promise<void> => {
  try {
    await work();
  } catch (error) {
    if (!isProblem(error, 'schedule_conflict')) throw error;
  }
};

/** What the demo would like and somebody's changes do not allow: it is left, and said. */
export const unlessRefused = async (
  what: string,
  { note }: SchoolContext,
  work: () => Promise<unknown>,
): Promise<void> => {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500 || error.status < 404) throw error;
    note(`${what}: left as it is (${error.code})`);
  }
};
