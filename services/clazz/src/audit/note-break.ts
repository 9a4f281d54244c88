import { type LostPart, statement, type WorkerTx } from '@teaching/kit';

const NOTE = statement('insert into audit_break (epoch, no, on_from, why) values ($1, $2, $3, $4)');

/** The log does not have what the trail was made of: entries after `on_from` cannot be proven, others may be missing. */
export const noteBreak = (tx: WorkerTx, { at, on_from, why }: LostPart): void =>
  tx.run(NOTE, at.epoch, at.no, on_from.no, why);
