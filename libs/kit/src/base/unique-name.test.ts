import { describe, expect, it } from 'vitest';
import { isSameName } from './unique-name.ts';

describe('Where names are unique', () => {
  it.each([
    ['Aula', 'aula'],
    ['ÉCOLE', 'école'],
    ['École', 'E\u0301cole'],
    ['Room 1', 'Ｒｏｏｍ\u3000１'],
    ['パソコン', 'ﾊﾟｿｺﾝ'],
    ['한글', '\u1112\u1161\u11ab\u1100\u1173\u11af'],
    ['ÅNGSTRÖM', '\u212bngstro\u0308m'],
  ])('%s and %s are the same', (a, b) => expect(isSameName(a, b)).toBe(true));

  it.each([
    ['Ecole', 'École'],
    ['Muller', 'Müller'],
    ['ハ', 'パ'],
    ['Room 1', 'Room ①'],
    ['Room 1', 'Room1'],
    ['五', '伍'],
  ])('%s and %s are different', (a, b) => expect(isSameName(a, b)).toBe(false));
});
