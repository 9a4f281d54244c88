import { clazzEvents, restoredEvent } from '@teaching/contracts';
import { eventsOf, type FollowerDef } from '@teaching/kit';
import { appendEntries } from './append-entries.ts';
import { noteBreak } from './note-break.ts';

const restored = restoredEvent('clazz', 'audit');

/** Follows the service's own audit log, and keeps of it what can be proven. */
export const AUDIT_TRAIL: FollowerDef = {
  name: 'audit',
  follows: [clazzEvents.audited, clazzEvents.auditRecorded, restored],
  apply: (batch) => {
    const append = appendEntries(batch);
    const wentBack = eventsOf(batch, restored);
    return async (tx, generation) => {
      await append(tx, generation);
      for (const { data } of wentBack) {
        const at = { epoch: data.void_epoch, no: data.void_up_to, id: null };
        const on_from = { epoch: data.epoch, no: data.first_no, id: null };
        noteBreak(tx, { log: 'clazz.audit', at, on_from, why: 'the database was put back to an earlier point' });
      }
    };
  },
  lost: noteBreak,
};
