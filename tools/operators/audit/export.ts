import { AuditEntry } from '../../../libs/contracts/src/index.ts';
import { statement } from '../../../libs/kit/src/index.ts';
import { AUDIT_LOG } from '../../../services/clazz/src/audit/audit.tables.ts';
import { ENTRY_NAMES, writeAuditCsv } from '../../../services/clazz/src/audit/audit-csv.ts';
import { attachTexts, withTextKeys } from '../../../services/clazz/src/audit/audit-texts.rules.ts';
import { textsOf } from '../../../services/clazz/src/audit/erase-texts.ts';
import type { OrganizationAuditReader } from './audit-reader.ts';

const PART = 500;
const SHOWN = AUDIT_LOG.contractColumns(AuditEntry);
const ENTRIES = statement(
  `select ${SHOWN.withAlias('a')}, ${ENTRY_NAMES.columns} from clazz_audit_log a
   where a.org_id = $1 and a.seq > $2 order by a.seq limit ${PART}`,
  { ...SHOWN.shape, ...ENTRY_NAMES.shape },
);

/** Yields the audit log of one organization as CSV, oldest entry first, in parts. The first part has the header. */
export async function* trailAsCsv(reading: OrganizationAuditReader): AsyncGenerator<{ csv: string; entries: number }> {
  let after = 0;
  for (let isFirst = true; ; isFirst = false) {
    const found = await reading.query(ENTRIES, reading.org_id, after);
    if (found.length === 0 && !isFirst) return;
    const known = await textsOf(reading, found);
    const entries = found.map((entry) => withTextKeys(attachTexts(entry, known), known));
    yield { csv: writeAuditCsv(entries, { isFirst }), entries: entries.length };
    after = found.at(-1)?.seq ?? after;
    if (found.length < PART) return;
  }
}
