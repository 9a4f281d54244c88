import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { OWN_FOLDER } from '../setup/setup-paths.mjs';
import { type Device, isTraced } from './device.ts';

const PICTURE_MS = 5_000;

const slug = (name: string): string => name.replaceAll(/[^\p{L}\p{N}]+/gu, '-').slice(0, 100);

/** Stores a picture of each device's page, and its trace if there is one. Returns the files by page. */
export const keepPictures = async (devices: readonly Device[], name: string): Promise<string[]> => {
  const folder = join(OWN_FOLDER, 'stories', slug(name));
  mkdirSync(folder, { recursive: true });
  const keepOne = async ({ context, page }: Device, index: number): Promise<string[]> => {
    const path = join(folder, `${index + 1}`);
    const kept = await Promise.allSettled([
      page.screenshot({ path: `${path}.png`, fullPage: true, timeout: PICTURE_MS }).then(() => `${path}.png`),
      ...(isTraced() ? [context.tracing.stop({ path: `${path}.zip` }).then(() => `${path}.zip`)] : []),
    ]);
    return kept.flatMap((one) => (one.status === 'fulfilled' ? [`${one.value}  ${page.url()}`] : []));
  };
  return (await Promise.all(devices.map(keepOne))).flat();
};
