import { describe } from 'vitest';
import { plansAreBounded } from './plans.ts';

describe('a statement in a tenth of a large school', () => {
  plansAreBounded({ students: 2_000, orgs: 30 });
});
