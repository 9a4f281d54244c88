import { migration } from '@teaching/kit';

/**
 * Hours can be used for a lesson that began before they expired, independent of the time of the roll call. A second
 * entry of kind `expire` with the opposite sign takes them back.
 */
export const hoursThatWereValid = migration(
  '105_hours_that_were_valid',
  `
  drop index hour_entry_expiry;
  -- An expiry takes a lot's hours once, and may be taken back in parts; a lot that got hours back has a new expiry.
  create unique index hour_entry_expiry on hour_entry
    (org_id, lot_id, lot_expires_at, (case when amount < 0 then 0 else seq end)) where kind = 'expire';
`,
);
