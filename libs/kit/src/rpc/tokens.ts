import { Problem } from '@teaching/contracts';
import { z } from 'zod';
import type { Signer } from '../base/signer.ts';
import type { CursorKey } from '../db/keyset-list.ts';

/** The content of a consistency token: one committed write, and how many of its events feed other services. */
const Write = z.object({ service: z.string(), tx_id: z.string(), events: z.int() });
type Write = z.output<typeof Write>;
/** Tokens of the first release do not name the service. */
const OldWrite = Write.partial({ service: true });
/** The content of a consistency token that a caller sent. */
export type WriteToken = z.output<typeof OldWrite>;

/** Read-your-writes: answers whether the events of a write are applied in this service. */
export interface ReadYourWrites {
  /**
   * Waits until they are applied. False if that takes too long, if the write does not exist, or if too many requests of
   * the org wait already.
   */
  includes(write: WriteToken, org_id: string): Promise<boolean>;
}

const consistencyPurpose = (org_id: string): string => `consistency ${org_id}`;

export const signWriteToken = (signer: Signer, org_id: string, write: Write): string =>
  signer.seal(consistencyPurpose(org_id), write);

/** Verifies the token of a caller. Refuses with 400 a malformed or forged token, and one of another organization. */
export const readWriteToken = (signer: Signer, org_id: string, token: string): WriteToken => {
  const write = OldWrite.safeParse(signer.open(consistencyPurpose(org_id), token));
  if (write.success) return write.data;
  throw new Problem('invalid_request', 'x-consistency-token is not a token of this organization');
};

const CursorContent = z.array(z.union([z.string(), z.number(), z.null()]));

export const signCursor = (signer: Signer, purpose: string, key: CursorKey): string => signer.seal(purpose, key);

export const readCursor = (signer: Signer, purpose: string, cursor: string): CursorKey => {
  const key = CursorContent.safeParse(signer.open(purpose, cursor));
  if (key.success) return key.data;
  throw new Problem('invalid_request', {
    errors: [{ path: '/query/cursor', message: 'is not a cursor of this list' }],
  });
};
