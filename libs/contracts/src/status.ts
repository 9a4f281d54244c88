import { z } from 'zod';
import { call } from './call.ts';
import { Instant } from './scalars.ts';

/** Where one log of a service ends, and how much of it those outside can read from the stream. */
const LogStatus = z.object({
  log: z.string(),
  epoch: z.int(),
  no: z.int(),
  published_no: z.int().nullable(),
  /** Why the stream does not take what comes next. */
  trouble: z.string().nullable(),
  since: Instant.nullable(),
});

/** How far a follower of the service is in a log. */
const FollowerStatus = z.object({
  follower: z.string(),
  log: z.string(),
  epoch: z.int(),
  no: z.int(),
  /** The source does not have what was applied: nothing more is applied here, it is built anew. */
  broken: z.boolean(),
  trouble: z.string().nullable(),
  since: Instant.nullable(),
  /** Dead letters that wait for a replay. */
  dead_letters: z.int(),
});

export const ServiceStatus = z.object({
  logs: z.array(LogStatus),
  /** Events that wait for their number. */
  waiting: z.int(),
  followers: z.array(FollowerStatus),
});
export type ServiceStatus = z.output<typeof ServiceStatus>;

/** What every service answers about its logs and followers; asked by the gateway's readiness and by operators. */
export const statusCalls = (service: string) => ({
  get: call({
    id: `${service}.status.get`,
    summary: 'Logs, followers and dead letters of this service',
    who: 'service',
    asked_by: ['gateway', 'admin'],
    writes: false,
    scope: 'all orgs',
    output: ServiceStatus,
  }),
});
