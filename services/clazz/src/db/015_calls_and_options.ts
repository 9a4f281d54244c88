import { migration } from '@teaching/kit';

/** What staff record about leave that was asked for by a call, or against the rules; lessons ahead in their order. */
export const callsAndOptions = migration(
  '109_calls_and_options',
  `
  alter table leave
    -- When somebody called, and who, if that was before the request was written down.
    add column called_at timestamptz(3),
    add column called_by text,
    -- Why a supervisor took it beyond deadline or quota.
    add column override_reason text;

  -- What makes up for a missed lesson is looked for by start, whatever the class.
  create index lesson_ahead on lesson (org_id, starts_at, id) where status = 'scheduled';
`,
);
