import { type CallsByContract, callsOn } from './calls.ts';
import type { FieldProblem, Method } from '../../../libs/contracts/src/index.ts';
import { type Answer as Sent, type CheckAnswer, type HeaderValues, type Send, sender } from './http.ts';
import type { BodyOf } from './body-of-path.ts';
import type { ProblemMembers } from './problem-members.ts';

/** Members that the problem document of any refusal may have, beside its title. */
interface ProblemFields extends Required<ProblemMembers> {
  code: string;
  detail: string;
  request_id: string;
  errors: FieldProblem[];
}

/** The body of a success by its contract, with the optional members of a problem document. */
export type Body<B> = [unknown] extends [B]
  ? Partial<ProblemFields>
  : [B] extends [null]
    ? Partial<ProblemFields>
    : B & Partial<Omit<ProblemFields, keyof B>>;

/** An answer whose body has the type of the route. */
export interface Answer<B = unknown> extends Sent {
  body: Body<B>;
}

type Answered<M extends Method, P extends string> = Promise<Answer<BodyOf<M, P>>>;

/** Calls by contract, and plain HTTP calls whose bodies have the type of the route that the path literal matches. */
export interface Api extends CallsByContract {
  get<const P extends string>(path: P, headers?: HeaderValues): Answered<'GET', P>;
  post<const P extends string>(path: P, body?: unknown, headers?: HeaderValues): Answered<'POST', P>;
  put<const P extends string>(path: P, body?: unknown, headers?: HeaderValues): Answered<'PUT', P>;
  patch<const P extends string>(path: P, body?: unknown, headers?: HeaderValues): Answered<'PATCH', P>;
  delete<const P extends string>(path: P, headers?: HeaderValues): Answered<'DELETE', P>;
  send: Send;
}

/** A client of the API with this Authorization header, or without one. */
export const createApi = (address: string, authorization: string | undefined, check?: CheckAnswer): Api => {
  const send = sender(address, authorization, check);
  /** Only asserts the type. The services check their answers against the contract. */
  const typed = async <B>(
    method: Method,
    path: string,
    body?: string,
    headers: HeaderValues = {},
  ): Promise<Answer<B>> => (await send(method, path, body, headers)) as Answer<B>;
  const json = <B>(method: Method, path: string, body: unknown, headers: HeaderValues = {}): Promise<Answer<B>> =>
    body === undefined
      ? typed(method, path, undefined, headers)
      : typed(method, path, JSON.stringify(body), { 'content-type': 'application/json', ...headers });
  return {
    ...callsOn(send),
    get: (path, headers) => typed('GET', path, undefined, headers),
    post: (path, body, headers) => json('POST', path, body, headers),
    put: (path, body, headers) => json('PUT', path, body, headers),
    patch: (path, body, headers) => json('PATCH', path, body, headers),
    delete: (path, headers) => typed('DELETE', path, undefined, headers),
    send,
  };
};
