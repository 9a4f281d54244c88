import { migration } from '@teaching/kit';

/** The audit entries of an organization are deleted with the organization only. */
export const organizationsEnd = migration(
  '127_organizations_end',
  `
  create index organization_end_changed on organization_end (changed);

  create function audit_entries_end() returns trigger language plpgsql as $$
    begin
      if not exists (select from clazz.organization_end where id = old.org_id and sealed) then
        raise exception 'entries of the audit trail are never changed or removed';
      end if;
      return old;
    end $$;
  drop trigger entries_stay on clazz_audit_log;
  create trigger entries_stay before update or truncate on clazz_audit_log
    for each statement execute function audit_entries_stay();
  create trigger entries_end before delete on clazz_audit_log for each row execute function audit_entries_end();
`,
);
