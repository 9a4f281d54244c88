import { migration } from '@teaching/kit';

/** Whether what a machine scored is released at once, and whether keys are shown after release (rules, part 10). */
export const releaseAndKey = migration(
  '101_release_and_key',
  `
  alter table lianxi
    add column release text not null default 'manual' check (release in ('manual', 'at_once')),
    add column key text not null default 'after_release' check (key in ('after_release', 'never'));
`,
);
