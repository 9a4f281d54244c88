import { Problem } from '@teaching/contracts';
import { z } from 'zod';
import type { Signer } from '../base/signer.ts';
import type { CursorKey } from '../db/keyset-list.ts';

/** The content of a consistency token: one committed write, and how many of its events feed other services. */
const Write = z.object({ service: z.string(), tx_id: z.string(), events: z.int() });
type Write = z.output<typeof Write>;
/** Tokens of the first release did not name the service. */
const OldWrite = Write.partial({ service: true });
/** The content of a caller's consistency token. */
export type WriteToken = z.output<typeof OldWrite>;

/** Tells whether the events of a write have been applied in this service. */
export interface Inclusion {
  /** Waits until they are; false when that takes too long, when the write is gone, or when too many of the org wait. */
  includes(write: WriteToken, org_id: string): Promise<boolean>;
}

const consistencyPurpose = (org_id: string): string => `consistency ${org_id}`;

export const signWriteToken = (signer: Signer, org_id: string, write: Write): string =>
  signer.seal(consistencyPurpose(org_id), write);

/** Opens the token of a caller; a malformed, forged or foreign one is refused with 400. */
export const readWriteToken = (signer: Signer, org_id: string, token: string): WriteToken => {
  const write = OldWrite.safeParse(signer.open(consistencyPurpose(org_id), token));
  if (write.success) return write.data;
  throw new Problem('invalid_request', 'x-consistency-token is not a token of this organization');
};

const Key = z.array(z.union([z.string(), z.number(), z.null()]));

export const signCursor = (signer: Signer, purpose: string, key: CursorKey): string => signer.seal(purpose, key);

export const readCursor = (signer: Signer, purpose: string, cursor: string): CursorKey => {
  const key = Key.safeParse(signer.open(purpose, cursor));
  if (key.success) return key.data;
  throw new Problem('invalid_request', {
    errors: [{ path: '/query/cursor', message: 'is not a cursor of this list' }],
  });
};
