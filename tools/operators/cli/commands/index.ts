import type { Listed } from '../command.ts';

/** Every command, in the order of the help. */
export const COMMANDS: readonly Listed[] = [
  {
    name: 'doctor',
    summary: 'Check everything that a start needs; report faults and remedies',
    load: () => import('./doctor.ts'),
  },
  {
    name: 'migrate',
    summary: 'Create schemas, roles and streams, and apply pending migrations',
    load: () => import('./migrate.ts'),
  },
  {
    name: 'health',
    summary: 'Check whether the process of this environment is ready',
    load: () => import('./health.ts'),
  },
  {
    name: 'status',
    summary: 'Show every log and follower, dead letters, and blocked events',
    load: () => import('./status.ts'),
  },
  {
    name: 'dead-letters',
    summary: 'List, apply again or drop events that a service could not apply',
    load: () => import('./dead-letters.ts'),
  },
  {
    name: 'rebuild',
    summary: 'Rebuild the statistics from the logs while requests are served',
    load: () => import('./rebuild.ts'),
  },
  {
    name: 'audit',
    summary: 'Verify the audit log of one or all organizations, or export one',
    load: () => import('./audit.ts'),
  },
  {
    name: 'org',
    summary: 'Export an organization to files, or delete it everywhere',
    load: () => import('./org.ts'),
  },
  {
    name: 'backup',
    summary: 'Keep, make, list and verify base backups and the archived log',
    load: () => import('./backup.ts'),
  },
  {
    name: 'restore',
    summary: 'Restore a database to the end of the backup or to an instant',
    load: () => import('./restore.ts'),
  },
  {
    name: 'streams',
    summary: 'Create or change the streams: replicas and maximal size',
    load: () => import('./streams.ts'),
  },
  {
    name: 'move-streams',
    summary: 'Move the streams of release 0.2.0 to the accounts of their services',
    load: () => import('./move-streams.ts'),
  },
  {
    name: 'readers',
    summary: 'Manage accounts of outside programs that read events',
    load: () => import('./readers.ts'),
  },
  {
    name: 'logins',
    summary: 'Manage the logins of broker users: keys, a password, or both',
    load: () => import('./logins.ts'),
  },
  {
    name: 'nats',
    summary: "Write the broker's configuration from the contracts",
    load: () => import('./nats.ts'),
  },
  {
    name: 'token',
    summary: 'Issue a bearer token that the local system accepts',
    load: () => import('./token.ts'),
  },
  {
    name: 'seed',
    summary: 'Generate plausible organizations for trials',
    load: () => import('./seed.ts'),
  },
];
