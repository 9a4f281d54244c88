/** The client without the contracts' schemas: a page brings the table of calls that its build made of them. */
export { ApiError, isProblem, NoAnswerError } from './api-error.ts';
export { type Answer, type Client, clientOver } from './client.ts';
export { rowsOf } from './pages.ts';
export type { CallOptions } from './request.ts';
export type { WireCalls } from './wire.ts';
