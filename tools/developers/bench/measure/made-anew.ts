import type { Around } from '../site/floors.ts';
import type { Load, Site } from '../site/site.ts';
import { unkept } from '../site/unkept.ts';
import type { System } from '../system/system.ts';
import type { Contender } from './slices.ts';
import { measureContenders, type Measuring } from './loads.ts';

/** What is kept after it was asked for. */
export const KEPT = ['my-lessons', 'teacher-detail', 'w3'] as const;

/** Of an organization without a last change nothing is kept: ADR 28. */
const TAKE = 'delete from stats.org_change returning org_id, gen, id';
const GIVE_BACK = `
  insert into stats.org_change (org_id, gen, id) select * from unnest($1::uuid[], $2::int[], $3::uuid[])
  on conflict do nothing`;

/** Statistics keep nothing while something is done. */
const anew =
  ({ sql }: System): Around =>
  async (work) => {
    const taken = await sql<{ org_id: string; gen: number; id: string }>(TAKE);
    try {
      return await work();
    } finally {
      const column = (name: 'org_id' | 'gen' | 'id') => taken.map((row) => row[name]);
      await sql(GIVE_BACK, [column('org_id'), column('gen'), column('id')]);
    }
  };

/** Made anew each time; below it the same kept, and what making it is without all that is around it. */
const contendersOf = async (site: Site, name: (typeof KEPT)[number], load: Load): Promise<Contender[]> => {
  const around = name === 'w3' ? unkept(site.system) : anew(site.system);
  const kept = await site.own(name, load);
  const made = { ...kept, run: (seconds: number) => around(() => kept.run(seconds)) };
  const { name: system } = site.system;
  return [made, { ...kept, name: `kept on ${system}`, floor: 'kept' }, ...(await site.floors(name, load, around))];
};

/** What an answer costs that has to be made, beside the same one kept. */
export const measureMadeAnew = async (measuring: Measuring, load: Load): Promise<void> => {
  for (const name of KEPT) {
    const contenders = await Promise.all(measuring.sites.map((site) => contendersOf(site, name, load)));
    await measureContenders(measuring, `${name} anew`, contenders.flat(), load);
  }
};
