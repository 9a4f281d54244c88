import { publicCalls } from '@teaching/contracts';
import { streamChanges } from './change-stream.ts';
import { type Client as CallClient, clientOver } from './client.ts';
import type { ClientOptions } from './request.ts';

export { ApiError, isProblem, NoAnswerError, type ProblemOf } from './api-error.ts';
export type { ListenOptions, Notice } from './change-stream.ts';
export { type Answer, rowsOf } from './client.ts';
export type { RepeatOptions } from './retry.ts';
export type { CallOptions, ClientOptions } from './request.ts';

/** All calls, and the stream of changes. */
export type Client = CallClient & { readonly streamChanges: ReturnType<typeof streamChanges> };

/**
 * A typed client of the HTTP API. It throws `ApiError` for an error response and `NoAnswerError` if there is no
 * response. It repeats requests with temporary errors before it throws.
 */
export const createClient = (options: ClientOptions): Client => ({
  ...clientOver(publicCalls, options),
  streamChanges: streamChanges(options),
});
