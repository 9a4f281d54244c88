import type { LogKind } from '@teaching/contracts';
import { type TransactionalMigration, migration } from '../db/migration.ts';

/** The columns of an entry that its writer chooses. `seq` is drawn. */
const ENTRY_COLUMNS = 'log, id, org_id, tx_id, type, aggregate_id, actor, request_id, trace, happened_at, data';

/**
 * Limits what the request role can do to the log, also with injected SQL: it can only add entries of its own org. It
 * cannot choose the position (`seq`), nor write an entry that cannot be numbered or published and would stop the log
 * for all organizations. It cannot see ids of other organizations' events.
 */
export const restrictLog = (name: string, service: string, kinds: readonly LogKind[]): TransactionalMigration =>
  migration(
    name,
    `
    revoke insert on log_entry from ${service}_app;
    grant insert (${ENTRY_COLUMNS}) on log_entry
      to ${service}_app;
    alter table log_entry add constraint log_entry_sound check (
      log in (${kinds.map((kind) => `'${kind}'`).join(', ')}) and type ~ '^[a-z_]+([.][a-z_]+)+[.]v[0-9]+$'
      and trace !~ '[^0-9a-f-]' and isfinite(happened_at)) not valid;
    revoke select on log_batch, log_head, log_numbered, log_waiting, follower_position from ${service}_app;
  `,
  );

/** Days for which audit records stay in the event log after they were numbered, so that other consumers can read them. */
const RETENTION_DAYS = 7;
/** Entries removed at a time, beyond the first batch. */
const REMOVED_AT_ONCE = 1_000;

/** Options of a function that runs with the rights of the owner, whatever search path the caller has set. */
const asOwner = (service: string): string => `security definer set search_path = ${service}, pg_temp`;
/** Lets the owner see the rows of all organizations, also if the caller has bound its session to one. */
const OF_ALL_ORGANIZATIONS = "perform set_config('app.org_id', '', true);";

/**
 * The only statement that removes entries: old audit records, which all known followers have read, from the beginning of
 * the audit log. The domain's log is the history and is never cut.
 */
const removeOldAuditRecords = (service: string): string => `
  create function remove_old_audit_records(log_name text) returns bigint language plpgsql ${asOwner(service)} as $$
    declare removed bigint;
    begin
      if log_name is distinct from '${service}.audit' then
        raise invalid_parameter_value using message = 'only the audit log is ever cut';
      end if;
      ${OF_ALL_ORGANIZATIONS}
      with first as (
        select first_no, first_no + cardinality(seqs) - 1 as last_no, seqs from log_batch
        where log = 'audit' and numbered_at < now() - interval '${RETENTION_DAYS} days'
          and first_no + cardinality(seqs) - 1 <= (select min(no) from follower_position where log = log_name)
        order by first_no limit ${REMOVED_AT_ONCE}
      ), counted as (
        select *, sum(cardinality(seqs)) over (order by first_no) - cardinality(seqs) as before from first
      ), old as (
        select * from counted where before < ${REMOVED_AT_ONCE}
      ), entries as (
        delete from log_entry where seq = any (array(select unnest(seqs) from old))
      ), batches as (
        delete from log_batch where log = 'audit' and first_no in (select first_no from old)
      ), moved as (
        update log_head set base = greatest(base, (select max(last_no) from old))
        where log = 'audit' and exists (select from old)
      ) select coalesce(sum(cardinality(seqs)), 0) into removed from old;
      return removed;
    end $$;
  revoke execute on function remove_old_audit_records(text) from public;
  grant execute on function remove_old_audit_records(text) to ${service}_worker;
`;

/**
 * Makes the log append-only for the worker role, also with injected SQL. It adds entries and numbers, and both only at
 * the end. It changes, removes and renumbers none; ends and epochs never fall. All else is
 * done by functions of the owner.
 *
 * Instances of release 0.2.0 remove old audit records and lock the log with rights of their own. The migration leaves
 * them these rights while one is connected; `withdraw_former_rights` then takes them away.
 */
export const appendOnlyLog = (name: string, service: string): TransactionalMigration => {
  const worker = `${service}_worker`;
  const byWorker = `current_user = '${worker}'`;
  return migration(
    name,
    `
    revoke insert on log_entry, log_batch, log_epoch from ${worker};
    grant insert (${ENTRY_COLUMNS}) on log_entry to ${worker};
    grant insert (log, first_no, first_seq, last_seq, seqs, previous) on log_batch to ${worker};
    grant insert (log, epoch, first_no, why) on log_epoch to ${worker};
    revoke update on log_head, log_org from ${worker};
    grant update (epoch, no, id, base, settled, published_no, trouble, trouble_since, timeline) on log_head to ${worker};
    grant update (no, id) on log_org to ${worker};

    create function log_only_grows() returns trigger language plpgsql as $$
      begin
        raise insufficient_privilege using message = format('%I only grows', tg_table_name);
      end $$;
    create trigger only_grows before update on log_head for each row
      when (${byWorker} and (new.epoch < old.epoch or new.no < old.no or new.no = old.no and new.id is distinct from old.id))
      execute function log_only_grows();
    create trigger only_grows before update on log_org for each row
      when (${byWorker} and new.no <= old.no) execute function log_only_grows();

    -- Numbers are given after the last one, and epochs begin there.
    create function numbers_follow() returns trigger language plpgsql set search_path = ${service}, pg_temp as $$
      begin
        if new.first_no <= coalesce(
          (select first_no + cardinality(seqs) - 1 from log_batch where log = new.log order by first_no desc limit 1),
          (select base from log_head where log = new.log)) then
          raise insufficient_privilege using message = 'these numbers were given before';
        end if;
        return new;
      end $$;
    create trigger only_grows before insert on log_batch for each row when (${byWorker})
      execute function numbers_follow();
    create function epoch_follows() returns trigger language plpgsql set search_path = ${service}, pg_temp as $$
      begin
        if exists (select from log_head where log = new.log and (epoch >= new.epoch or no >= new.first_no)) then
          raise insufficient_privilege using message = 'an epoch begins after the end of the log';
        end if;
        return new;
      end $$;
    create trigger only_grows before insert on log_epoch for each row when (${byWorker})
      execute function epoch_follows();

    -- The last seq at a moment without writers; null if they do not finish within 20 ms, so that others do not wait.
    -- The exception releases the lock at once, whatever the caller does next.
    create function last_entry() returns bigint language plpgsql ${asOwner(service)} set lock_timeout = '20ms' as $$
      declare last bigint;
      begin
        ${OF_ALL_ORGANIZATIONS}
        lock table log_entry in share mode;
        select coalesce(max(seq), 0) into last from log_entry;
        raise exception using errcode = 'TL000';
      exception
        when lock_not_available then return null;
        when sqlstate 'TL000' then return last;
      end $$;
    revoke execute on function last_entry() from public;
    grant execute on function last_entry() to ${worker};
    ${removeOldAuditRecords(service)}

    -- The name of this session shows an instance of 0.2.0.
    create function withdraw_former_rights() returns void language plpgsql ${asOwner(service)} as $$
      begin
        if has_table_privilege('${worker}', 'log_entry', 'delete') and not exists (
          select from pg_stat_activity
          where datname = current_database() and usename = '${worker}' and application_name = '${service} worker look'
        ) then
          revoke delete on log_entry, log_batch from ${worker};
          revoke update (base) on log_head from ${worker};
        end if;
      end $$;
    revoke execute on function withdraw_former_rights() from public;
    grant execute on function withdraw_former_rights() to ${worker};
    select withdraw_former_rights();
  `,
  );
};
