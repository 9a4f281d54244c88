import { assert, vi } from 'vitest';
import type { Fixture } from './fixture.ts';
import { POLL_OPTIONS } from './poll-options.ts';

/** Sources with unnumbered events, or with events that the statistics have not processed. */
const BEHIND = `
  select o.log from (
    select 'clazz' as log, no, (select count(*) from clazz.log_waiting) as waiting from clazz.log_head where log = 'domain'
    union all
    select 'course', no, (select count(*) from course.log_waiting) from course.log_head where log = 'domain'
  ) as o
  where o.waiting > 0 or o.no > coalesce((
    select p.no from stats.follower_position as p
    where p.log = o.log and p.follower = 'statistics ' || (select gen from stats.generation where state = 'current')
  ), -1)`;

/** Waits until the statistics have reached the end of both logs that they follow, and no event waits for its number. */
export const waitUntilCaughtUp = (fixture: Fixture): Promise<void> =>
  vi.waitFor(async () => assert.deepEqual(await fixture.sql(BEHIND), []), POLL_OPTIONS);
