import { expect } from 'vitest';
import { ConfigError } from '../../../libs/kit/src/index.ts';

/** The lines that are told of a configuration; none when it is right. */
export const errorLines = (read: () => unknown): string[] => {
  try {
    read();
    return [];
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return error instanceof Error ? error.message.split('\n') : [];
  }
};
