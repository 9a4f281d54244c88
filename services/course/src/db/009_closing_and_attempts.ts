import { migration } from '@teaching/kit';

/** When a practice closes, and how often a student may hand in; as before where nobody says. */
export const closingAndAttempts = migration(
  '106_closing_and_attempts',
  `
  alter table lianxi
    add column closes_at timestamptz(3),
    add column max_attempts int check (max_attempts > 0),
    add constraint lianxi_closes_after_due check (closes_at >= due_at);
`,
);
