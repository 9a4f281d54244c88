import { type ServiceStatus, statusCalls } from '@teaching/contracts';
import { type Route, routes } from '../call/handler.ts';
import { statement } from '../db/statement.ts';
import { logName } from './place.ts';
import { logsOf } from './source.ts';

const LOGS = statement<{
  log: 'domain' | 'audit';
  epoch: number;
  no: number;
  published_no: number | null;
  trouble: string | null;
  since: string | null;
}>('select log, epoch, no, published_no, trouble, trouble_since as since from log_head order by log');
const WAITING = statement<{ waiting: number }>('select count(*)::int as waiting from log_waiting');
const FOLLOWERS = statement<ServiceStatus['followers'][number]>(`
  select follower, log, epoch, no, broken, trouble, trouble_since as since, (
    select count(*)::int from dead_letter as d where d.follower = p.follower and d.log = p.log and d.replayed_at is null
  ) as dead_letters
  from follower_position as p order by follower, log`);

/** How the logs and followers of a service stand; any of its instances knows it from the database. */
export const statusRoutes = (service: string): Route[] =>
  routes(statusCalls(service), {
    get: async (_input, session) => {
      const [logs, waiting, followers] = await Promise.all([
        session.query(LOGS),
        session.query(WAITING),
        session.query(FOLLOWERS),
      ]);
      return {
        logs: (logsOf(service).length === 0 ? [] : logs).map((row) => ({ ...row, log: logName(service, row.log) })),
        waiting: waiting[0]?.waiting ?? 0,
        followers,
      };
    },
  });
