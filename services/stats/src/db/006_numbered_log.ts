import { migration, numberedLog } from '@teaching/kit';

/** A generation is a follower with positions of its own: how far it is stands there. */
export const generationsFollow = migration(
  '100_generations_follow',
  `
  alter table generation drop column replayed, drop column target, add column why text;
  update generation set state = 'old' where state = 'building';
`,
);

export const numberedEvents = numberedLog('stats', {
  follower: "'statistics ' || (select gen from generation where state = 'current')",
});
