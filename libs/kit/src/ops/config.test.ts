import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ConfigError, readConfig, serviceConfig } from './config.ts';

const SECRET = 'a secret of at least thirty-two characters';
const least = { NATS_URL: 'nats://x', SIGNING_SECRET: SECRET, DATABASE_URL: 'a', WORKER_DATABASE_URL: 'b' };
const read = (env: Record<string, string | undefined>) => readConfig(z.object(serviceConfig), env);

describe('the configuration of a service', () => {
  it('has standards for everything that is no secret and no address', () => {
    expect(read(least)).toMatchObject({ DATABASE_POOL: 10, DATABASE_LANES: 6, CONCURRENCY: 64, CHECK_REPLIES: false });
  });

  it('names everything that is missing or wrong at once, and no value', () => {
    const wrong = {
      ...least,
      NATS_URL: '',
      SIGNING_SECRET: 'too short',
      DATABASE_POOL: 'many',
      CHECK_REPLIES: 'maybe',
    };
    const fault = (() => {
      try {
        return read(wrong);
      } catch (error) {
        return error;
      }
    })();
    expect(fault).toBeInstanceOf(ConfigError);
    const { message } = fault as ConfigError;
    for (const name of ['NATS_URL', 'SIGNING_SECRET', 'DATABASE_POOL', 'CHECK_REPLIES'])
      expect(message).toContain(name);
    for (const value of ['too short', 'many', 'maybe']) expect(message).not.toContain(value);
  });

  it('takes nothing but the variables it names', () => {
    expect(read({ ...least, PATH: '/bin', DATABASE_LANES: '' })).toEqual(read(least));
  });
});
