import { describe } from 'vitest';
import { plansAreBounded } from './plans.ts';

describe('A statement in a school of 20,000 students', () => {
  plansAreBounded({ students: 20_000, orgs: 200 });
});
