import { z } from 'zod';
import { call } from './call.ts';
import { Instant } from './scalars.ts';

/** The end of one log of a service, and how much of it the stream contains. */
const LogStatus = z.object({
  log: z.string(),
  epoch: z.int(),
  no: z.int(),
  published_no: z.int().nullable(),
  /** The error that stops publishing to the stream; `null` if there is none. */
  trouble: z.string().nullable(),
  since: Instant.nullable(),
});

/** The offset of a follower of the service in a log. */
const FollowerStatus = z.object({
  follower: z.string(),
  log: z.string(),
  epoch: z.int(),
  no: z.int(),
  /** The source lost events that were applied here. The follower stops and must be rebuilt. */
  broken: z.boolean(),
  trouble: z.string().nullable(),
  since: Instant.nullable(),
  /** Number of dead letters that wait for a replay. */
  dead_letters: z.int(),
});

export const ServiceStatus = z.object({
  logs: z.array(LogStatus),
  /** Number of events that are not numbered yet. */
  waiting: z.int(),
  followers: z.array(FollowerStatus),
});
export type ServiceStatus = z.output<typeof ServiceStatus>;

/** The status call of every service. The readiness check of the gateway and the operator's tools use it. */
export const statusCalls = (service: string) => ({
  get: call({
    id: `${service}.status.get`,
    summary: 'Read the state of the logs, followers and dead letters of this service',
    who: 'service',
    asked_by: ['gateway', 'admin'],
    writes: false,
    scope: 'all orgs',
    output: ServiceStatus,
  }),
});
