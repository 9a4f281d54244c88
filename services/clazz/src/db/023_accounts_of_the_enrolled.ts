import { migration } from '@teaching/kit';

/**
 * Every enrolled student has an account, empty at first, so that one table lists all accounts of an org.
 * Making an enrolment active creates the account, once, and in the same order everywhere.
 */
export const accountsOfTheEnrolled = migration(
  '118_accounts_of_the_enrolled',
  `
  create function enrolled_have_accounts() returns trigger language plpgsql as $$
    begin
      insert into clazz.hour_account (org_id, student_id)
      select distinct e.org_id, e.student_id from changed e where e.status = 'active' order by 1, 2
      on conflict do nothing;
      return null;
    end $$;
  create trigger accounts_of_new after insert on enrolment
    referencing new table as changed for each statement execute function enrolled_have_accounts();
  create trigger accounts_of_changed after update on enrolment
    referencing new table as changed for each statement execute function enrolled_have_accounts();
  insert into hour_account (org_id, student_id)
  select distinct org_id, student_id from enrolment where status = 'active' on conflict do nothing;
`,
);
