import { migration } from '@teaching/kit';

/** The key of a row among those of one lesson, as a 64-bit hash. A collision only refuses a roll call. */
const place = (...fields: string[]): string => `hashtextextended(${fields.join(` || ' ' || `)}, 0)`;

/**
 * Checks the constraints of the ledger once for each statement, because a roll call writes the ledger of a whole class.
 * A foreign key would look up and lock each row, and write the lock to disk. Entries, lots and marks are never removed,
 * so no lock is needed.
 * Columns that a roll call changes are in no index, and pages have free space for updates in place.
 */
export const slimLedger = migration(
  '104_slim_ledger',
  `
  alter table hour_account drop constraint hour_account_org_id_student_id_last_seq_balance_fkey;
  alter table hour_entry
    drop constraint hour_entry_org_id_student_id_previous_balance_before_fkey,
    drop constraint hour_entry_org_id_lesson_id_student_id_mark_revision_fkey,
    drop constraint hour_entry_org_id_student_id_lot_id_fkey,
    drop constraint hour_entry_org_id_student_id_seq_balance_after_key,
    drop column previous;
  alter table hour_draw
    drop constraint hour_draw_org_id_lesson_id_student_id_mark_revision_fkey,
    drop constraint hour_draw_org_id_student_id_lot_id_fkey,
    drop constraint hour_draw_pkey;

  -- Looks are written as scalar subqueries: each row goes by the key, whatever the planner thinks of the sizes.
  -- Tables are named with their schema: what a connection's search path says must not matter.
  create function hour_entries_continue() returns trigger language plpgsql as $$
    begin
      if exists (select from added e where e.seq > 1 and e.balance_before is distinct from (
          select p.balance_after from clazz.hour_entry p
          where p.org_id = e.org_id and p.student_id = e.student_id and p.seq = e.seq - 1)) then
        raise foreign_key_violation using message = 'an entry does not continue the ledger of its student';
      end if;
      if exists (select from added e where e.lot_id is not null and (
          select l.seq from clazz.hour_lot l
          where l.org_id = e.org_id and l.student_id = e.student_id and l.id = e.lot_id) is null) then
        raise foreign_key_violation using message = 'an entry moves hours of a lot that the student does not have';
      end if;
      if exists (select from added e where e.lesson_id is not null and (
          select m.revision from clazz.mark_revision m
          where m.org_id = e.org_id and m.lesson_id = e.lesson_id and m.student_id = e.student_id
            and m.revision = e.mark_revision) is null) then
        raise foreign_key_violation using message = 'an entry charges a mark that does not exist';
      end if;
      return null;
    end $$;
  create trigger entries_continue after insert on hour_entry
    referencing new table as added for each statement execute function hour_entries_continue();

  create function hour_draws_stand() returns trigger language plpgsql as $$
    begin
      if exists (select from added d where d.lot_id is not null and (
          select l.seq from clazz.hour_lot l
          where l.org_id = d.org_id and l.student_id = d.student_id and l.id = d.lot_id) is null) then
        raise foreign_key_violation using message = 'a charge is drawn from a lot that the student does not have';
      end if;
      if exists (select from added d where d.lesson_id is not null and (
          select m.revision from clazz.mark_revision m
          where m.org_id = d.org_id and m.lesson_id = d.lesson_id and m.student_id = d.student_id
            and m.revision = d.mark_revision) is null) then
        raise foreign_key_violation using message = 'a charge is of a mark that does not exist';
      end if;
      return null;
    end $$;
  create trigger draws_stand after insert on hour_draw
    referencing new table as added for each statement execute function hour_draws_stand();

  -- An account is the last entry of its ledger. A new one has none.
  create function hour_accounts_follow() returns trigger language plpgsql as $$
    begin
      if exists (select from changed a where a.last_seq is not null and a.balance is distinct from (
          select e.balance_after from clazz.hour_entry e
          where e.org_id = a.org_id and e.student_id = a.student_id and e.seq = a.last_seq)) then
        raise foreign_key_violation using message = 'an account is not as its ledger left it';
      end if;
      return null;
    end $$;
  create trigger accounts_follow after update on hour_account
    referencing new table as changed for each statement execute function hour_accounts_follow();
  create function hour_account_begins() returns trigger language plpgsql as $$
    begin raise foreign_key_violation using message = 'an account begins before its ledger'; end $$;
  create trigger account_begins before insert on hour_account
    for each row when (new.last_seq is not null) execute function hour_account_begins();
  alter table hour_account set (fillfactor = 50);

  -- Once for each lesson, student, mark revision, kind and lot.
  drop index hour_entry_once;
  create unique index hour_entry_once on hour_entry (org_id, lesson_id,
    ${place('student_id', 'mark_revision::text', 'kind', "coalesce(lot_id::text, '')")}) where lesson_id is not null;
  -- Once for each lesson, student and lot; what is owed without a lesson is told apart by its id.
  drop index hour_draw_lesson;
  create unique index hour_draw_lesson on hour_draw (org_id, lesson_id,
    ${place('student_id', "coalesce(lot_id::text, '')")}) where lesson_id is not null;
  create unique index hour_draw_adjusted on hour_draw (org_id, student_id, id) where lesson_id is null;

  -- An index that names the remaining hours would have to be written with every charge.
  drop index hour_lot_due;
  alter table hour_lot add column open boolean not null generated always as (remaining > 0) stored,
    set (fillfactor = 50);
  create index hour_lot_due on hour_lot (expires_at) where open and expires_at is not null;
`,
);
