import { migration, tenantTable } from '@teaching/kit';

/** By what an answer is known to be still true: see `figures/org-change.ts`. */
export const orgChange = migration(
  '105_org_change',
  `
  create table org_change (
    org_id uuid not null, gen int not null, id uuid not null,
    primary key (org_id, gen)
  ) with (fillfactor = 50);
  ${tenantTable('stats', 'org_change', { app: 'select', worker: 'select, insert, update, delete' })}
`,
);
