import { z } from 'zod';
import { streamName } from '../../../libs/kit/src/index.ts';
import type { Permissions } from './permissions.ts';

/** An outside program that reads events, of one organization or all, through its own consumers only. */
export const Reader = z.strictObject({
  /** Part of subjects. */
  name: z.string().regex(/^[a-z0-9][a-z0-9-]{0,31}$/, 'must be 1 to 32 small letters, digits and -'),
  /** The public half; the reader has the seed. */
  nkey: z.string().regex(/^U[A-Z2-7]{55}$/, 'must be the public key of a user (nkey)'),
  /** `null`: all organizations. */
  org_id: z.uuid().nullable(),
  /** The logs: events of services, optionally with their audit records. */
  logs: z.array(z.strictObject({ service: z.string(), log: z.enum(['domain', 'audit']) })).min(1),
});
export type Reader = z.infer<typeof Reader>;

/** The reader's name on the broker: of its consumers and its inbox. */
export const userOf = ({ name }: Pick<Reader, 'name'>): string => `reader_${name}`;

/** The JetStream domain of readers: their account has no streams, so it answers requests to `$JS.API` itself. */
export const READER_DOMAIN = 'teaching';

/** The operator creates a consumer, so a reader may only request messages from it and acknowledge them. */
export const readerPermissions = (reader: Reader): Permissions => {
  const user = userOf(reader);
  const streams = reader.logs.map(({ service, log }) => streamName(service, log));
  return {
    publish: streams.flatMap((stream) => [
      `$JS.${READER_DOMAIN}.API.CONSUMER.INFO.${stream}.${user}`,
      `$JS.${READER_DOMAIN}.API.CONSUMER.MSG.NEXT.${stream}.${user}`,
      `$JS.ACK.${stream}.${user}.>`,
    ]),
    subscribe: [`_INBOX_${user}.>`],
  };
};
