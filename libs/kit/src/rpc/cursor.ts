import { Problem } from '@teaching/contracts';
import { z } from 'zod';
import type { Signer } from '../base/sign.ts';
import type { CursorKey } from '../db/list.ts';

const Key = z.array(z.union([z.string(), z.number(), z.null()]));

export const sealCursor = (signer: Signer, purpose: string, key: CursorKey): string => signer.seal(purpose, key);

export const openCursor = (signer: Signer, purpose: string, cursor: string): CursorKey => {
  const key = Key.safeParse(signer.open(purpose, cursor));
  if (key.success) return key.data;
  throw new Problem('invalid_request', {
    errors: [{ path: '/query/cursor', message: 'is not a cursor of this list' }],
  });
};
