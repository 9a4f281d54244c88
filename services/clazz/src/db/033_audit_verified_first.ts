import { concurrentIndex, migration, stepwise } from '@teaching/kit';

/** New entries are verified before older ones are verified again: see `audit/verify-chains.ts`. */
export const auditVerifiedFirst = migration(
  '130_audit_verified_first',
  `
  alter table audit_verified
    add column from_first boolean not null default true,
    add column first_at timestamptz(3) not null default now();
`,
);
export const auditVerifiedFirstIndex = stepwise(
  '131_audit_verified_first_index',
  concurrentIndex('audit_verified_first', 'on audit_verified (first_at)'),
);
