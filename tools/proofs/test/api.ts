import { type CallsByContract, callsOn } from './calls.ts';
import type { FieldProblem, Method } from '../../../libs/contracts/src/index.ts';
import { type Answer as Sent, type CheckAnswer, type HeaderValues, type Send, sender } from './http.ts';
import type { BodyOf } from './body-of-path.ts';
import type { ProblemMembers } from './problem-members.ts';

/** What a problem document may say beside its title, by whatever refusal. */
interface Said extends Required<ProblemMembers> {
  code: string;
  detail: string;
  request_id: string;
  errors: FieldProblem[];
}

/** An answer's body as its contract has it, and what it says instead when it is a refusal. */
export type Body<B> = [unknown] extends [B]
  ? Partial<Said>
  : [B] extends [null]
    ? Partial<Said>
    : B & Partial<Omit<Said, keyof B>>;

/** An answer, its body typed by the route. */
export interface Answer<B = unknown> extends Sent {
  body: Body<B>;
}

type Answered<M extends Method, P extends string> = Promise<Answer<BodyOf<M, P>>>;

/** Calls by contract, and plain HTTP, where bodies are typed by the route that the path belongs to as it is written. */
export interface Api extends CallsByContract {
  get<const P extends string>(path: P, headers?: HeaderValues): Answered<'GET', P>;
  post<const P extends string>(path: P, body?: unknown, headers?: HeaderValues): Answered<'POST', P>;
  put<const P extends string>(path: P, body?: unknown, headers?: HeaderValues): Answered<'PUT', P>;
  patch<const P extends string>(path: P, body?: unknown, headers?: HeaderValues): Answered<'PATCH', P>;
  delete<const P extends string>(path: P, headers?: HeaderValues): Answered<'DELETE', P>;
  send: Send;
}

/** Somebody who calls the API with this Authorization header, or none. */
export const createApi = (address: string, authorization: string | undefined, check?: CheckAnswer): Api => {
  const send = sender(address, authorization, check);
  /** That what comes is what the contract says is checked where services answer. */
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
