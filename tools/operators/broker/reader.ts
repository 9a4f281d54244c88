import { z } from 'zod';
import { streamName } from '../../../libs/kit/src/index.ts';
import type { Rights } from './permissions.ts';

/** Somebody outside who reads events: of one org or of all, by consumers of their own name and nothing else. */
export const Reader = z.strictObject({
  /** Part of subjects. */
  name: z.string().regex(/^[a-z0-9][a-z0-9-]{0,31}$/, 'must be 1 to 32 small letters, digits and -'),
  /** Public; its seed is the reader's alone. */
  nkey: z.string().regex(/^U[A-Z2-7]{55}$/, 'must be the public key of a user (nkey)'),
  /** `null`: of all organizations. */
  org_id: z.uuid().nullable(),
  /** Which logs: events of services, or also their audit records. */
  logs: z.array(z.strictObject({ service: z.string(), log: z.enum(['domain', 'audit']) })).min(1),
});
export type Reader = z.infer<typeof Reader>;

/** What a reader is called on the broker: its consumers and its inbox. */
export const userOf = ({ name }: Pick<Reader, 'name'>): string => `reader_${name}`;

/** A consumer is made by the operator, so a reader may only ask it for more and say what was read. */
export const rightsOfReader = (reader: Reader): Rights => {
  const user = userOf(reader);
  const streams = reader.logs.map(({ service, log }) => streamName(service, log));
  return {
    publish: streams.flatMap((stream) => [
      `$JS.API.CONSUMER.INFO.${stream}.${user}`,
      `$JS.API.CONSUMER.MSG.NEXT.${stream}.${user}`,
      `$JS.ACK.${stream}.${user}.>`,
    ]),
    subscribe: [`_INBOX_${user}.>`],
  };
};
