import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sharedBrowser } from '../browser/launch.ts';
import { pageOf } from './page.ts';
import { takeAll } from './take.ts';

const VIEW = { width: 360, theme: 'dark', locale: 'zh-CN' } as const;

/** Three screens: one in the navigation, and one that only this links to, with an id. */
const PAGES: Record<string, string> = {
  '/': '<a href="/week">Week</a><a href="https://elsewhere.invalid/x">x</a><a href="/auth/logout">out</a>',
  '/week': '<a href="/roll-call/1">1</a><a href="/roll-call/2">2</a>',
  '/roll-call/1': '<script>console.error("no marks")</script>',
};

let asked: (string | undefined)[] = [];
const server = createServer(({ url = '/', headers }, response) => {
  if (url !== '/favicon.ico') asked.push(`${url} ${headers.authorization}`);
  const title = `<title>${url}</title><meta name="viewport" content="width=device-width"><link rel="icon" href="data:,"><main><h1>${url}</h1></main>`;
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
  response.end(`<!doctype html><html lang="en">${title}${PAGES[url] ?? ''}</html>`);
});
const folder = mkdtempSync(join(tmpdir(), 'teaching-shots-test-'));
let address: string;

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

const take = async (isWanted: (screen: string) => boolean) => {
  asked = [];
  return takeAll(await sharedBrowser(), { name: 'school-teacher', token: 't' }, VIEW, { address, folder, isWanted });
};

it('takes one picture of each linked screen, as the person, and reports errors on it', async () => {
  const shots = await take(() => true);
  const own = { viewer: 'school-teacher', view: '360-dark-zh-CN' };
  const file = (screen: string): string => join('school-teacher', `${screen}-360-dark-zh-CN.png`);
  expect(shots).toEqual([
    { ...own, screen: 'start', title: '/', file: file('start'), troubles: [] },
    { ...own, screen: 'week', title: '/week', file: file('week'), troubles: [] },
    {
      ...own,
      screen: 'roll-call',
      title: '/roll-call/1',
      file: file('roll-call'),
      troubles: [expect.stringContaining('console: no marks')],
    },
  ]);
  for (const shot of shots) expect(existsSync(join(folder, shot.file))).toBe(true);
  expect(asked.every((line) => line?.endsWith(' Bearer t'))).toBe(true);
  const page = pageOf(shots);
  expect(page).toContain('<h2>roll-call · school-teacher</h2>');
  expect(page).toContain('<pre>console: no marks');
});

it('takes no picture of an unwanted screen, and still follows its links', async () => {
  expect((await take((screen) => screen === 'roll-call')).map(({ screen }) => screen)).toEqual(['roll-call']);
});

it('has the width of the view', async () => {
  await take((screen) => screen === 'start');
  const png = readFileSync(join(folder, 'school-teacher', 'start-360-dark-zh-CN.png'));
  expect(png.readUInt32BE(16)).toBe(360);
});
