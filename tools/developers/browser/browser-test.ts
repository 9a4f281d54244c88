import type { BrowserContextOptions, Page } from 'playwright-core';
import { type Device, openDevice } from './device.ts';
import { keepPictures } from './keep-pictures.ts';
import { sharedBrowser } from './launch.ts';
import { isTestRun } from './appearance.ts';

/** The tools of a browser test. */
export interface Stage {
  /** Opens a page for a person with a device of their own; Playwright's options override those of an office's desk. */
  open: (options?: BrowserContextOptions) => Promise<Page>;
  /** Troubles that belong to this story, such as a network that is cut; all others make it fail. */
  allow: (trouble: RegExp) => void;
}

const listed = (title: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : [title, ...lines.map((line) => `  ${line}`)];

const play = async (devices: Device[], body: (stage: Stage) => Promise<void>): Promise<void> => {
  const allowed: RegExp[] = [];
  const browser = await sharedBrowser();
  await body({
    open: async (options = {}) => {
      const device = await openDevice(browser, options);
      devices.push(device);
      return device.page;
    },
    allow: (trouble) => allowed.push(trouble),
  });
  const unexpected = devices
    .flatMap(({ troubles }) => troubles())
    .filter((trouble) => !allowed.some((pattern) => pattern.test(trouble)));
  if (unexpected.length > 0) throw new Error(listed('went wrong on a page:', unexpected).join('\n'));
};

/** The same error, with what is needed to find out why. */
const explained = async (error: unknown, devices: readonly Device[], name: string): Promise<Error> => {
  const failure = error instanceof Error ? error : new Error(String(error));
  const troubles = devices.flatMap((device) => device.troubles()).filter((line) => !failure.message.includes(line));
  const pictures = await keepPictures(devices, name);
  failure.message = [
    failure.message,
    ...listed('What went wrong on its pages:', troubles),
    ...listed('What its pages showed:', pictures),
  ].join('\n');
  return failure;
};

/**
 * A test in a browser: `it('shows the week', browserTest(async ({ open }) => { … }))`. An unexpected error on one of its
 * pages also fails it. The error names a picture of each page.
 */
export const browserTest =
  (body: (stage: Stage) => Promise<void>) =>
  async ({ task, skip }: { task: { name: string }; skip: (note?: string) => never }): Promise<void> => {
    if (!isTestRun(task.name)) skip('has no look');
    const devices: Device[] = [];
    try {
      await play(devices, body);
    } catch (error) {
      throw await explained(error, devices, task.name);
    } finally {
      await Promise.all(devices.map(({ context }) => context.close()));
    }
  };
