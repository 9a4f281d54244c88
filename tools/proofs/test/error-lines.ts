import { expect } from 'vitest';
import { ConfigError } from '../../../libs/kit/src/index.ts';

/** The error lines of an invalid configuration; empty when it is valid. */
export const errorLines = (read: () => unknown): string[] => {
  try {
    read();
    return [];
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return error instanceof Error ? error.message.split('\n') : [];
  }
};
