import type { Listed } from '../command.ts';

/** Every command, in the order of the help. */
export const COMMANDS: readonly Listed[] = [
  {
    name: 'doctor',
    summary: 'Look at everything a start needs; say what is wrong and how to mend it',
    load: () => import('./doctor.ts'),
  },
  {
    name: 'migrate',
    summary: 'Make schemas, roles and pending migrations, and the streams',
    load: () => import('./migrate.ts'),
  },
  {
    name: 'health',
    summary: 'Whether the process of this environment is ready',
    load: () => import('./health.ts'),
  },
  {
    name: 'status',
    summary: 'How every log and follower stands, dead letters, and what is in the way',
    load: () => import('./status.ts'),
  },
  {
    name: 'dead-letters',
    summary: 'Events a service could not apply: look at them, apply them again, or drop one',
    load: () => import('./dead-letters.ts'),
  },
  {
    name: 'rebuild',
    summary: 'Have the statistics built anew from the logs, beside live traffic',
    load: () => import('./rebuild.ts'),
  },
  {
    name: 'audit',
    summary: 'Verify the audit trail of one or all organizations, or export one',
    load: () => import('./audit.ts'),
  },
  {
    name: 'org',
    summary: 'Take an organization along as files, or delete it everywhere',
    load: () => import('./org.ts'),
  },
  {
    name: 'backup',
    summary: 'Base backups and the log as it comes: keep them, make one, list and verify them',
    load: () => import('./backup.ts'),
  },
  {
    name: 'restore',
    summary: 'A database as it was at the end of the backup, or at an instant',
    load: () => import('./restore.ts'),
  },
  {
    name: 'streams',
    summary: 'Make or change the streams: how many brokers keep each, how large it may grow',
    load: () => import('./streams.ts'),
  },
  {
    name: 'readers',
    summary: 'Accounts for those outside who read events',
    load: () => import('./readers.ts'),
  },
  {
    name: 'logins',
    summary: 'How the users of the broker log in: by keys, by a password, or both',
    load: () => import('./logins.ts'),
  },
  {
    name: 'nats',
    summary: "Write the broker's configuration from the contracts",
    load: () => import('./nats.ts'),
  },
  {
    name: 'token',
    summary: 'A bearer token that the local system accepts',
    load: () => import('./token.ts'),
  },
  {
    name: 'seed',
    summary: 'Plausible organizations, to try things with',
    load: () => import('./seed.ts'),
  },
];
