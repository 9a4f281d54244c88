import type { Requester } from '../rpc/requester.ts';
import { compiledSchema } from '../base/compiled-schema.ts';
import { logSubjects, type Reach, ReachAnswer, ReadAnswer, type ReadRequest } from './source-messages.ts';

const PATIENCE_MS = 5_000;

const ask = async (
  requester: Pick<Requester, 'request' | 'user'>,
  service: string,
  subject: string,
  question: object,
  patience: number,
): Promise<unknown> => {
  const answer = await requester.request(
    service,
    subject,
    Buffer.from(JSON.stringify(question)),
    Date.now() + patience,
  );
  return JSON.parse(Buffer.from(answer).toString());
};

/** Asks a source's leading instance for entries; rejects when nobody leads just now. */
export const queryEntries = async (
  requester: Pick<Requester, 'request' | 'user'>,
  service: string,
  question: ReadRequest,
): Promise<ReadAnswer> =>
  compiledSchema(ReadAnswer).parse(
    await ask(requester, service, logSubjects(service, requester.user).read, question, PATIENCE_MS),
  );

/** Asks a source up to where these transactions reach; those it does not answer for are gone, or never were. */
export const queryReach = async (
  requester: Pick<Requester, 'request' | 'user'>,
  service: string,
  tx_ids: readonly string[],
  patience = PATIENCE_MS,
): Promise<Reach> =>
  compiledSchema(ReachAnswer).parse(
    await ask(requester, service, logSubjects(service, requester.user).reach, { tx_ids }, patience),
  ).reached;
