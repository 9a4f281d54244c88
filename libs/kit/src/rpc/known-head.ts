import { type AnyCall, EVERYBODY } from '@teaching/contracts';
import type { CallHead } from './frame.ts';
import type { CallerOpener, Identity } from './sealed-caller.ts';

/** What travelled with a call, and for whom it is asked. */
export interface KnownHead extends CallHead, Identity {}

/**
 * For whom a call is asked: only the gateway says so, by its seal. In calls of anyone it is nobody, until a secret in the
 * request says more; across all orgs services ask for themselves. Undefined when nothing proves it.
 */
export const identityOf = (
  call: AnyCall,
  { caller }: CallHead,
  from: string,
  open: CallerOpener,
): Identity | undefined => {
  if (call.who === 'anyone') return { org_id: EVERYBODY, user_id: '', roles: [] };
  if (call.scope === 'all orgs') return { org_id: EVERYBODY, user_id: from, roles: [] };
  // A head is as its sender wrote it.
  return typeof caller === 'string' ? open(caller) : undefined;
};
