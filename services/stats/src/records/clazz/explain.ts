import { always, instant, p } from '@teaching/kit';
import { type Explained, explained } from '../explained.ts';
import { columnsOf, type Source } from '../source.ts';
import { CLAZZ } from './table.ts';

const a = columnsOf('a', CLAZZ);

const ACTIVE: Source = {
  from: 'clazz as a',
  select: {
    source: ["'clazz'", always(p.text().$type<'clazz'>())],
    id: ['a.id::text', always(p.text())],
    at: ['clock.now', always(instant())],
    clazz_id: a('id'),
    teacher_id: a('lead_teacher_id'),
    state: a('status'),
  },
  where: ["a.status = 'active'"],
  org: 'a',
  sort: { by: 'a.id', type: 'uuid', id: 'a.id', idType: 'uuid' },
};

/** Classes that are active now. */
export const explainedByClazzes: readonly Explained[] = [explained('clazzes_active', 'org', ACTIVE)];
