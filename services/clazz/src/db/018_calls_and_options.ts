import { migration } from '@teaching/kit';

/** Leave that was called in, or granted beyond deadline or quota. */
export const callsAndOptions = migration(
  '113_calls_and_options',
  `
  alter table leave
    -- When somebody called, and who, if that was before the request was written down.
    add column called_at timestamptz(3),
    add column called_by text,
    -- Why a supervisor took it beyond deadline or quota.
    add column override_reason text;
`,
);
