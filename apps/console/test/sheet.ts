import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { openConsole, type Visit } from '../../../tools/developers/browser/console.ts';
import type { Stage } from '../../../tools/developers/browser/browser-test.ts';
import type { Fixture, Person } from '../../../tools/proofs/test/fixture.ts';

/** Browser messages after the network is cut. */
export const NETWORK_ERRORS = /net::ERR_|NetworkError|Failed to fetch/;

/** Opens the roll call of a lesson in a browser of its own. */
export const openSheetAt = (
  stage: Stage,
  fixture: Fixture,
  { lesson_id }: { lesson_id: string },
  person: Person,
  visit: Visit = {},
): Promise<Page> => openConsole(stage, fixture, person, { ...visit, path: `/roll-call/${lesson_id}` });

export const rowOf = (page: Page, student_id: string) => page.locator(`[data-student="${student_id}"]`);
export const markOf = (page: Page, student_id: string, mark: string) =>
  rowOf(page, student_id).getByRole('button', { name: mark, exact: true });
export const isPressed = async (page: Page, student_id: string, mark: string): Promise<boolean> =>
  (await markOf(page, student_id, mark).getAttribute('aria-pressed')) === 'true';
/** Waits until the mark is shown, saved or not. */
export const waitForMark = (page: Page, student_id: string, mark: string): Promise<void> =>
  markOf(page, student_id, mark).and(page.locator('[aria-pressed=true]')).waitFor();

export const waitForAllSaved = (page: Page): Promise<void> => page.getByText('All saved').waitFor();
export const waitForQueued = (page: Page, count: number): Promise<void> => page.getByText(`${count} waiting`).waitFor();

/** Waits until the service worker controls the page, so that it opens without network. */
export const waitForServiceWorker = (page: Page) =>
  expect.poll(() => page.evaluate('navigator.serviceWorker.controller !== null')).toBe(true);
