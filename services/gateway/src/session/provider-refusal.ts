import {
  AuthorizationResponseError,
  ClientError,
  ResponseBodyError,
  WWWAuthenticateChallengeError,
} from 'openid-client';
import { reasonOf } from '../auth/key-set.ts';

/** Why a login does not come about at the provider: the person did not want it, nobody answers, or it says no. */
export type RefusalSort = 'denied' | 'unavailable' | 'refused';

export class ProviderRefusal extends Error {
  readonly sort: RefusalSort;

  constructor(sort: RefusalSort, message: string, options?: ErrorOptions) {
    super(message, options);
    this.sort = sort;
  }
}

/** Errors of RFC 6749 that are over by themselves, or by the operator's hand. */
const FOR_NOW: readonly string[] = ['server_error', 'temporarily_unavailable', 'invalid_client', 'unauthorized_client'];
/** What is no answer of a provider that works. */
const NO_ANSWER: readonly (string | undefined)[] = [
  'OAUTH_TIMEOUT',
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_RESPONSE_IS_NOT_JSON',
];

/** Whether the provider does not take our secret: nothing was used up then. */
export const isWrongSecret = (error: unknown): boolean =>
  (error instanceof WWWAuthenticateChallengeError && error.status === 401) ||
  (error instanceof ResponseBodyError && error.error === 'invalid_client');

export const sortOf = (error: unknown): RefusalSort => {
  if (error instanceof AuthorizationResponseError && error.error === 'access_denied') return 'denied';
  if (error instanceof AuthorizationResponseError || error instanceof ResponseBodyError) {
    const isOver = 'status' in error && error.status >= 500;
    return isOver || FOR_NOW.includes(error.error) ? 'unavailable' : 'refused';
  }
  // `fetch` rejects so when nobody is there.
  if (error instanceof TypeError || error instanceof WWWAuthenticateChallengeError) return 'unavailable';
  return error instanceof ClientError && NO_ANSWER.includes(error.code) ? 'unavailable' : 'refused';
};

/** What went wrong, in the words of the provider's error or of the connection; neither holds a token or a secret. */
export const whyOf = (error: unknown): string =>
  error instanceof AuthorizationResponseError || error instanceof ResponseBodyError ? error.error : reasonOf(error);
