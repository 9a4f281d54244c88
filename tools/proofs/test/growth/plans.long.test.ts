import { describe } from 'vitest';
import { plansAreBounded } from './plans.ts';

describe('a statement in a school of 20,000 students', () => {
  plansAreBounded({ students: 20_000, orgs: 200 });
});
