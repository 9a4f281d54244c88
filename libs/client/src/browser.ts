/** The client without the contracts' schemas: a page brings the table of calls that its build made of them. */
export { ApiError, isProblem, NoAnswerError } from './api-error.ts';
export { type Answer, type Client, clientOver, rowsOf } from './client.ts';
export type { CallOptions, WireCalls } from './request.ts';
