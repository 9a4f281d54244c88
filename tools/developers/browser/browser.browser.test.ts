import { existsSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { FONTS } from '../setup/find-browser.mjs';
import { axeViolations, expectNoAxeViolations } from './axe.ts';
import { openConsole } from './console.ts';
import { PHONE } from './device.ts';
import { tabThrough } from './keys.ts';
import { type Stage, browserTest } from './browser-test.ts';

/** As strict as a page can be that runs scripts of its own. */
const POLICY = "default-src 'none'; img-src data:; script-src 'self'; style-src 'self'; connect-src 'self'";

const page = (body: string): string =>
  `<!doctype html><html lang="en"><title>Lessons</title><meta name="viewport" content="width=device-width"><link rel="icon" href="data:,"><main><h1>Lessons</h1>${body}</main></html>`;

const PAGES: Record<string, [type: string, text: string]> = {
  '/': ['text/html', page('<p>Algebra at nine, 代数</p>')],
  '/log': ['text/html', page('<script src="/log.js"></script>')],
  '/log.js': ['text/javascript', 'console.error("no lessons")'],
  '/throw': ['text/html', page('<script src="/throw.js"></script>')],
  '/throw.js': ['text/javascript', 'setTimeout(() => { throw new Error("lost") })'],
  '/ask': ['text/html', page('<script src="/ask.js"></script>')],
  '/ask.js': ['text/javascript', 'fetch("/nowhere")'],
  '/inline': ['text/html', page('<script>1</script>')],
  '/unnamed': ['text/html', page('<button></button>')],
  '/trap': ['text/html', page('<button>On</button><script src="/trap.js"></script>')],
  '/trap.js': [
    'text/javascript',
    'onkeydown = (e) => { e.preventDefault(); document.querySelector("button").focus(); }',
  ],
};

const server = createServer(({ url = '/' }, response) => {
  const [type, text] = PAGES[url] ?? ['text/plain', undefined];
  response.writeHead(text === undefined ? 404 : 200, {
    'content-type': `${type}; charset=utf-8`,
    'content-security-policy': POLICY,
  });
  response.end(text);
});
let site: string;

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  site = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());

/** Why a story fails; nothing when it does not. */
const failureOf = async (body: (stage: Stage) => Promise<void>): Promise<string> => {
  try {
    const skip = (): never => {
      throw new Error('skipped');
    };
    await browserTest(body)({ task: { name: 'told as failed' }, skip });
    return '';
  } catch (error) {
    return String(error);
  }
};

const visit =
  (path: string) =>
  async ({ open }: Stage) => {
    const page = await open();
    await page.goto(`${site}${path}`, { waitUntil: 'networkidle' });
  };

it(
  'opens a page on a desk and on a phone, and axe finds nothing',
  browserTest(async ({ open }) => {
    const [desk, phone] = [await open(), await open({ ...PHONE, colorScheme: 'dark', locale: 'zh-CN' })];
    await Promise.all([desk.goto(site), phone.goto(site)]);
    await expectNoAxeViolations(desk);
    await expectNoAxeViolations(phone);
    const seen = '[innerWidth, navigator.language, matchMedia("(prefers-color-scheme: dark)").matches]';
    expect(await desk.evaluate(seen)).toEqual([1280, 'en-GB', false]);
    expect(await phone.evaluate(seen)).toEqual([360, 'zh-CN', true]);
  }),
);

it(
  'reports findings of axe with rule, place and help',
  browserTest(async ({ open }) => {
    const page = await open();
    await page.goto(`${site}/unnamed`);
    const [violation] = await axeViolations(page);
    expect(violation).toContain('button-name (critical): Buttons must have discernible text\n  button\n');
    await expect(expectNoAxeViolations(page)).rejects.toThrow(/^axe finds on http.*\/unnamed:\nbutton-name/);
  }),
);

it(
  'goes by Tab through a page and back, and fails where the focus is trapped',
  browserTest(async ({ open }) => {
    const page = await open();
    await page.goto(`${site}/unnamed`);
    await tabThrough(page);
    await page.goto(`${site}/trap`);
    await expect(tabThrough(page)).rejects.toThrow('Tab does not leave the page');
  }),
);

it.each([
  ['/log', 'console: no lessons (http://127.0.0.1'],
  ['/throw', 'error: Error: lost\n'],
  ['/ask', '/nowhere answered 404'],
  ['/inline', 'console: Executing inline script violates the following Content Security Policy directive'],
])('fails after an error on %s', async (path, trouble) => {
  expect(await failureOf(visit(path))).toContain(trouble);
});

it('fails after a request without an answer', async () => {
  const failure = await failureOf(async ({ open }) => {
    const page = await open();
    await page.goto(`${site}/`);
    await page.context().setOffline(true);
    await page.evaluate('fetch("/ask.js").catch(() => {})');
  });
  expect(failure).toContain('/ask.js: net::ERR_INTERNET_DISCONNECTED');
});

it('explains which option a fixture without a console needs', async () => {
  const system = { address: site, token: () => 'of nobody' };
  const failure = await failureOf(async (stage) => {
    await openConsole(stage, system, { role: 'TEACHER' }, { path: '/week' });
  });
  expect(failure).toContain('no console is served: `startFixture` takes `env: WITH_CONSOLE`');
});

it('passes only with the errors that the test allows', async () => {
  const allowing = (trouble: RegExp) =>
    failureOf(async (stage) => {
      stage.allow(trouble);
      await visit('/log')(stage);
    });
  expect(await allowing(/no lessons/)).toBe('');
  expect(await allowing(/no pupils/)).toContain('no lessons');
});

it('names a picture of the last page of a failed test', async () => {
  const failure = await failureOf(async (stage) => {
    await visit('/log')(stage);
    throw new Error('the lesson is missing');
  });
  expect(failure).toMatch(/^Error: the lesson is missing\nWhat went wrong on its pages:\n {2}console: no lessons/);
  const picture = /What its pages showed:\n {2}(.*\.png) {2}http.*\/log$/.exec(failure)?.[1] ?? 'none';
  expect(existsSync(picture)).toBe(true);
  rmSync(picture);
});

it.skipIf(!existsSync(FONTS))(
  'shows Latin and Chinese in the fonts of the set-up, whatever a page requests',
  browserTest(async ({ open }) => {
    const page = await open();
    await page.goto(site);
    const debug = await page.context().newCDPSession(page);
    await debug.send('DOM.enable');
    await debug.send('CSS.enable');
    const { root } = await debug.send('DOM.getDocument');
    const { nodeId } = await debug.send('DOM.querySelector', { nodeId: root.nodeId, selector: 'p' });
    const { fonts } = await debug.send('CSS.getPlatformFontsForNode', { nodeId });
    expect(fonts.map(({ familyName }) => familyName).toSorted()).toEqual(['Liberation Sans', 'WenQuanYi Micro Hei']);
  }),
);
