import { type FieldProblem, Problem } from '@teaching/contracts';
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

const openWriteToken = (signer: Signer, org_id: string, token: string): WriteToken | undefined =>
  OldWrite.safeParse(signer.open(consistencyPurpose(org_id), token)).data;

const TOKEN_PROBLEM = 'x-consistency-token is not a token of this organization';

/** The problem of a malformed or forged token, or one of another organization. */
export const writeTokenProblem = (signer: Signer, org_id: string, token: string): string | undefined =>
  openWriteToken(signer, org_id, token) === undefined ? TOKEN_PROBLEM : undefined;

/** Verifies the token of a caller. Refuses a wrong one with 400. */
export const readWriteToken = (signer: Signer, org_id: string, token: string): WriteToken => {
  const write = openWriteToken(signer, org_id, token);
  if (write === undefined) throw new Problem('invalid_request', TOKEN_PROBLEM);
  return write;
};

const CursorContent = z.array(z.union([z.string(), z.number(), z.null()]));

/** The list that a cursor belongs to. `call`: its call and org. `list`: also its conditions and sort. */
export interface CursorPurpose {
  call: string;
  list: string;
}

/** The part of a cursor's purpose that is known before the list. */
export const cursorPurpose = ({ id }: { id: string }, org_id: string): string => `cursor ${id} ${org_id}`;

const sealPurpose = ({ call, list }: CursorPurpose): string => `${call} ${list}`;
const stampOf = (key: CursorKey): Buffer => Buffer.from(JSON.stringify(key));

/**
 * A cursor is sealed for its list. Its content is the key and a stamp for the call. The stamp can be checked before the
 * conditions of the list are known. Readers find the members of a key by position, the first two even in instances of
 * version 0.2.0, which know no stamp.
 */
export const signCursor = (
  signer: Signer,
  purpose: CursorPurpose,
  [first, second = null, ...rest]: CursorKey,
): string => {
  const key = [first ?? null, second, ...rest];
  return signer.seal(sealPurpose(purpose), [...key, signer.stamp(purpose.call, stampOf(key)).toString('base64url')]);
};

export const CURSOR_PROBLEM: FieldProblem = { path: '/query/cursor', message: 'is not a cursor of this list' };

export const readCursor = (signer: Signer, purpose: CursorPurpose, cursor: string): CursorKey => {
  const key = CursorContent.safeParse(signer.open(sealPurpose(purpose), cursor));
  if (key.success) return key.data;
  throw new Problem('invalid_request', { errors: [CURSOR_PROBLEM] });
};

/**
 * Whether a cursor belongs to the call and the org, as far as can be known without the conditions of its list. False
 * for a cursor of version 0.2.0, which has no stamp.
 */
export const isCursorOf = (signer: Signer, call: string, cursor: string): boolean => {
  const key = [...(CursorContent.safeParse(signer.openUnverified(cursor)).data ?? [])];
  const stamp = key.pop();
  return (
    typeof stamp === 'string' && signer.checkStamp(call, stampOf(key), Buffer.from(stamp, 'base64url')) === 'right'
  );
};
