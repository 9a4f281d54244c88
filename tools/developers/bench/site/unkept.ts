import type { System } from '../system/system.ts';
import type { Around } from './floors.ts';

const STATE = `select pg_get_functiondef(to_regproc('package.log_state')) as written`;
const UNKNOWN = `create or replace function package.log_state() returns table (state text) language sql as 'select null::text'`;

/** While something is done no page of packages is kept: nobody knows how far the log is (ADR 36). Older systems keep none. */
export const unkept =
  ({ sql }: System): Around =>
  async (work) => {
    const [state] = await sql<{ written: string | null }>(STATE);
    if (state?.written == null) return work();
    await sql(UNKNOWN);
    try {
      return await work();
    } finally {
      await sql(state.written);
    }
  };
