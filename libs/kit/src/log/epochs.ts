import type { LogKind } from '@teaching/contracts';

/** From which number on an epoch counts in a log. */
export interface Epoch {
  log: LogKind;
  epoch: number;
  first_no: number;
}
/** All epochs of a source's logs, in order. */
export type Epochs = readonly Epoch[];

/** The epoch that gave a number: the last one that begins at or before it. */
export const epochOf = (epochs: Epochs, { log, no }: { log: LogKind; no: number }): number =>
  epochs.findLast((it) => it.log === log && it.first_no <= no)?.epoch ?? 0;
