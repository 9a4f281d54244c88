import { type CallsByContract, callsOn } from './calls.ts';
import { type Answer, type HeaderValues, type Send, sender } from './http.ts';

export type { Answer } from './http.ts';

/** Calls by contract, and plain HTTP for tests of HTTP itself. */
export interface Api extends CallsByContract {
  get(path: string, headers?: HeaderValues): Promise<Answer>;
  post(path: string, body?: unknown, headers?: HeaderValues): Promise<Answer>;
  put(path: string, body?: unknown, headers?: HeaderValues): Promise<Answer>;
  patch(path: string, body?: unknown, headers?: HeaderValues): Promise<Answer>;
  delete(path: string, headers?: HeaderValues): Promise<Answer>;
  send: Send;
}

/** Somebody who calls the API with this Authorization header, or none. */
export const createApi = (address: string, authorization: string | undefined): Api => {
  const send = sender(address, authorization);
  const withJson =
    (method: string) =>
    (path: string, body?: unknown, headers: HeaderValues = {}) =>
      body === undefined
        ? send(method, path, undefined, headers)
        : send(method, path, JSON.stringify(body), { 'content-type': 'application/json', ...headers });
  return {
    ...callsOn(send),
    get: (path, headers) => send('GET', path, undefined, headers),
    post: withJson('POST'),
    put: withJson('PUT'),
    patch: withJson('PATCH'),
    delete: (path, headers) => send('DELETE', path, undefined, headers),
    send,
  };
};
