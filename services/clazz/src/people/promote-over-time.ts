import { databaseFault, type RunInOrganization, type RunInTransaction, statement, type Sweep } from '@teaching/kit';
import { CLAZZ } from '../record/record.tables.ts';
import { promoteInClazz } from './promote-waiting.ts';

const WAITED_FOR = CLAZZ.pick('org_id', 'id');
/**
 * Open classes of all orgs with a waiting student and fewer members than seats. A partial index finds the waiting
 * students. Whether guests, rooms or clashes are in the way is found out class by class, which takes about a millisecond.
 * In random order no organization is always the last.
 */
const CANDIDATES = statement(
  `with waited as (select distinct org_id, clazz_id from enrolment where status = 'waiting')
   select ${WAITED_FOR.withAlias('c')} from waited w join clazz c on c.org_id = w.org_id and c.id = w.clazz_id
   where c.status in ('draft', 'active') and (c.capacity is null or c.capacity > (
     select count(*) from enrolment e
     where e.org_id = c.org_id and e.clazz_id = c.id and e.status in ('active', 'suspended')))
   order by random()`,
  WAITED_FOR.shape,
);

/** So short, because the classes of a pass are served one after the other. */
const SHORT_WAIT = statement("set local lock_timeout = '200ms'");
const LOCK_NOT_AVAILABLE = '55P03';

async function* pieces(
  inTx: RunInTransaction,
  _log: unknown,
  inOrganization: RunInOrganization,
): AsyncGenerator<number> {
  const failures: unknown[] = [];
  for (const { org_id, id } of await inTx((tx) => tx.query(CANDIDATES))) {
    let promoted = 0;
    try {
      promoted = await inOrganization(org_id, (session) => {
        session.run(SHORT_WAIT);
        return promoteInClazz(session, id);
      });
    } catch (error) {
      if (databaseFault(error)?.code !== LOCK_NOT_AVAILABLE) failures.push(error);
    }
    yield promoted;
  }
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} waiting list(s) could not be served`);
}

/**
 * Gives seats to waiting students that became free without a write, because time passed: the lesson of a guest began, a
 * clash is over. It also gives those that a write could not give after its commit. Each pass judges the present state of
 * every waiting list, so a missed pass loses nothing. A class that fails, or that another transaction keeps locked, is
 * left to the next pass.
 */
export const promoteOverTime: Sweep = {
  name: 'seats that became free over time',
  done: 'waiting students got seats',
  every_ms: 30_000,
  pieces,
};
