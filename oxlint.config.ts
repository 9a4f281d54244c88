import { defineConfig, type OxlintOverride } from 'oxlint';
import { LAYERS } from './tools/developers/lint/layers.ts';
import { layersAbove, type Pattern, PURE, BOUNDARIES } from './tools/developers/lint/import-boundaries.ts';

const restricted = (files: string, patterns: readonly Pattern[]): OxlintOverride => ({
  files: [files],
  rules: { 'no-restricted-imports': ['error', { patterns: [...patterns] }] },
});

/** The last entry that fits a file holds, so each says everything: its package's walls, its room's, its kind's. */
const houses = Object.entries(BOUNDARIES).flatMap(([folder, walls]) => {
  const rooms = LAYERS[folder] ?? [];
  const places = [
    { files: folder, patterns: walls },
    ...rooms.flat().map((room) => ({ files: `${folder}/${room}`, patterns: [...walls, ...layersAbove(rooms, room)] })),
  ];
  return places.flatMap(({ files, patterns }) => [
    restricted(`${files}/**`, patterns),
    restricted(`${files}/**/*.rules.ts`, [...patterns, ...PURE]),
  ]);
});

export default defineConfig({
  plugins: ['typescript', 'import', 'unicorn', 'promise', 'vitest'],
  categories: { correctness: 'error', suspicious: 'error', perf: 'error' },
  rules: {
    'typescript/no-floating-promises': 'error',
    'typescript/no-misused-promises': 'error',
    'typescript/return-await': ['error', 'error-handling-correctness-only'],
    'typescript/no-explicit-any': 'error',
    'typescript/switch-exhaustiveness-check': 'error',
    'typescript/consistent-type-imports': 'error',
    'typescript/no-unsafe-type-assertion': 'off',
    'no-await-in-loop': 'off',
    'no-underscore-dangle': 'off',
    'no-shadow': 'off',
    'unicorn/no-array-sort': 'off',
    'unicorn/no-array-reverse': 'off',
    'unicorn/prefer-set-has': 'off',
    'promise/always-return': 'off',
    'typescript/consistent-return': 'off',
    'vitest/expect-expect': 'off',
    'vitest/no-conditional-expect': 'off',
    'typescript/require-array-sort-compare': 'off',
    'unicorn/consistent-function-scoping': 'off',
    // Threads have no origin.
    'unicorn/require-post-message-target-origin': 'off',
    'import/no-cycle': 'error',
    'import/no-named-as-default-member': 'off',
    'vitest/valid-expect': [
      'error',
      {
        maxArgs: 2,
      },
    ],
  },
  overrides: [
    ...houses,
    {
      files: ['apps/**'],
      rules: { 'import/no-unassigned-import': ['error', { allow: ['**/*.css'] }] },
    },
    {
      files: ['**/*.test.ts', 'tools/**'],
      rules: { 'no-restricted-imports': 'off', 'typescript/no-unsafe-argument': 'off' },
    },
  ],
});
