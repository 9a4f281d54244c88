import { isDeepStrictEqual } from 'node:util';
import { ApiError } from '../../../libs/client/src/index.ts';

/** An answer that differs from the scenario. */
export class Unexpected extends Error {}

/** Ends the scenario unless both values are equal. */
export const same = <T>(what: string, actual: T, wanted: NoInfer<T>): void => {
  if (isDeepStrictEqual(actual, wanted)) return;
  throw new Unexpected(`${what} should be ${JSON.stringify(wanted)}, but is ${JSON.stringify(actual)}`);
};

export const isTrue = (what: string, actual: boolean): void => {
  if (!actual) throw new Unexpected(`${what} should be so, but is not`);
};

/** The value that must be there. */
export const present = <T>(what: string, value: T | null | undefined): T => {
  if (value === null || value === undefined) throw new Unexpected(`${what} should be there, but is not`);
  return value;
};

/** Waits for a refusal with this status and code, and answers its problem document. */
export const refused = async (
  answer: Promise<unknown>,
  status: number,
  code: string,
): Promise<Readonly<Record<string, unknown>>> => {
  const error = await answer.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error === undefined) throw new Unexpected(`this should be refused with ${status} ${code}, but was accepted`);
  if (!(error instanceof ApiError)) throw error;
  same('the refusal', `${error.status} ${error.code}`, `${status} ${code}`);
  return error.problem;
};
