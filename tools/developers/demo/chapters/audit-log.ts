import { isTrue, present, refused, same } from '../expectation.ts';
import type { Stage } from '../scenario-stage.ts';
import type { Running } from './clazz.ts';

/** Shows the audit log of the class, reads included, in a chain that reveals every change. */
export const auditLog = async ({ as, say, chapter }: Stage, { clazz_id }: Running): Promise<void> => {
  chapter('The audit log');
  const path = { id: clazz_id };
  say('Every change is recorded with before and after, and so is every read.');
  const updates = (await as.sun.listClazzAuditEntries({ path, query: { action: 'update', entity: 'clazz' } })).data
    .items;
  const activated = updates.find((entry) => 'status' in entry.changes);
  same('activation', present('the entry', activated).changes['status'], { before: 'draft', after: 'active' });
  const reads = (await as.li.listClazzAuditEntries({ path, query: { action: 'read', actor_id: 'li' } })).data.items;
  isTrue('reads are entries too', reads.length > 0);
  await refused(as.vega.listClazzAuditEntries({ path }), 403, 'forbidden');

  say('The entries of an organization are a hash chain; verifying recomputes it.');
  const verified = (await as.sun.verifyAuditLog({})).data;
  same('the chain', verified.ok, true);
  const head = (await as.sun.getAuditLogHead({})).data;
  isTrue('the head has all entries', head.entries >= verified.entries);
};
