import type { LostPart, WorkerTx } from '@teaching/kit';
import { AUDIT_BREAK } from './audit-break.table.ts';

/** The log does not have what the trail was made of: entries after `on_from` cannot be proven, others may be missing. */
export const noteBreak = (tx: WorkerTx, { at: { epoch, no }, on_from, why }: LostPart): void =>
  tx.insert(AUDIT_BREAK, { at: tx.now.toISOString(), epoch, no, on_from: on_from.no, why });
