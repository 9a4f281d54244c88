/** The client without the schemas of the contracts. The build of a page generates the table of calls from them. */
export { ApiError, isProblem, NoAnswerError } from './api-error.ts';
export { isTransient } from './retry.ts';
export { type Answer, type Client, createCallClient, rowsOf } from './client.ts';
export type { CallOptions, WireCalls } from './request.ts';
