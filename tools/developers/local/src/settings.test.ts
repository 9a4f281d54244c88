import { describe, expect, it } from 'vitest';
import { prepareLogin } from './login.ts';
import { settingsFrom } from './settings.ts';

const from = (env: Record<string, string | undefined>) => settingsFrom({ DATA_DIR: '/tmp/unused', ...env });

describe('The settings of the runner', () => {
  it('serve the console at the address of the gateway, with the log-in 1000 ports above', () => {
    expect(from({})).toMatchObject({
      console_url: 'http://127.0.0.1:8080',
      login: { port: 9080, fixed: false },
      demo: true,
    });
    expect(from({ HOST: '0.0.0.0', PORT: '65000' })).toMatchObject({
      console_url: 'http://127.0.0.1:65000',
      login: { port: 64_000, fixed: false },
    });
    expect(from({ HOST: '::' }).console_url).toBe('http://[::1]:8080');
  });

  it('accept another address for browsers and a port for the log-in', () => {
    expect(from({ CONSOLE_URL: 'http://192.168.1.5:8080', LOGIN_PORT: '9999', DEMO: 'off' })).toMatchObject({
      console_url: 'http://192.168.1.5:8080',
      login: { port: 9999, fixed: true },
      demo: false,
    });
    expect(() => from({ CONSOLE_URL: 'http://192.168.1.5/x' })).toThrow('CONSOLE_URL: must be an origin');
    expect(() => from({ DEMO: 'perhaps' })).toThrow('DEMO: must be on or off');
  });

  it('name the address for browsers that the local log-in cannot serve, and what to set', () => {
    const CONSOLE_URL = 'https://school.example';
    expect(() => from({ CONSOLE_URL })).toThrow(
      'CONSOLE_URL: https://school.example is an https address, but the log-in of the local system is http. Set OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET',
    );
    for (const more of [{ OIDC_ISSUER: 'https://login.example' }, { CONSOLE: 'off' }])
      expect(from({ CONSOLE_URL, ...more }).console_url).toBe(CONSOLE_URL);
    for (const local of ['https://localhost:8443', 'https://127.0.0.1', 'https://[::1]:8443'])
      expect(from({ CONSOLE_URL: local }).login).toBeDefined();
  });

  it('start no log-in provider without a console, or with another provider', async () => {
    for (const no of ['off', 'false', 'no']) expect(from({ CONSOLE: no })).toMatchObject({ console: false });
    expect(from({ OIDC_ISSUER: 'https://login.example' })).toMatchObject({ console: true });
    for (const env of [{ CONSOLE: 'off' }, { OIDC_ISSUER: 'https://login.example' }]) {
      expect(from(env).login).toBeUndefined();
      expect(await prepareLogin(from(env))).toBeUndefined();
    }
  });
});
