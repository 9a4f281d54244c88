import type { Requester } from '../rpc/requester.ts';
import { compiledSchema } from '../base/compiled-schema.ts';
import { logSubjects, type Reach, ReachAnswer, ReadAnswer, type ReadRequest } from './source-messages.ts';

const TIMEOUT_MS = 5_000;

const request = async (
  requester: Pick<Requester, 'request' | 'user'>,
  service: string,
  subject: string,
  question: object,
  timeout_ms: number,
): Promise<unknown> => {
  const answer = await requester.request(
    service,
    subject,
    Buffer.from(JSON.stringify(question)),
    performance.now() + timeout_ms,
  );
  return JSON.parse(Buffer.from(answer).toString());
};

/** Queries the leading instance of a source for entries. Rejects if no instance leads. */
export const queryEntries = async (
  requester: Pick<Requester, 'request' | 'user'>,
  service: string,
  question: ReadRequest,
): Promise<ReadAnswer> =>
  compiledSchema(ReadAnswer).parse(
    await request(requester, service, logSubjects(service, requester.user).read, question, TIMEOUT_MS),
  );

/**
 * Queries a source for the first and last offset of transactions. Transactions missing in the result were rolled back,
 * or lost by a restore.
 */
export const queryReach = async (
  requester: Pick<Requester, 'request' | 'user'>,
  service: string,
  tx_ids: readonly string[],
  timeout_ms = TIMEOUT_MS,
): Promise<Reach> =>
  compiledSchema(ReachAnswer).parse(
    await request(requester, service, logSubjects(service, requester.user).reach, { tx_ids }, timeout_ms),
  ).reached;
