import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { inCheckout, runTool } from './run-tool.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'teaching-second-try-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const VITEST = JSON.stringify(inCheckout('node_modules/vitest/dist/index.js'));
/** A test file whose only test does this; `tried` counts how often it has run. */
const file = (name: string, does: string): void =>
  writeFileSync(
    join(folder, `${name}.test.mjs`),
    `import { appendFileSync, readFileSync } from 'node:fs';
     import { expect, it } from ${VITEST};
     it('is tried', () => {
       appendFileSync(import.meta.dirname + '/tried', ${JSON.stringify(`${name} `)});
       const tried = readFileSync(import.meta.dirname + '/tried', 'utf8').split(' ').filter((one) => one === ${JSON.stringify(name)}).length;
       ${does}
     });`,
  );
const WELL = 'expect(tried).toBe(1);';
const FAILS_ONCE = 'expect(tried).toBe(2);';
const FAILS = 'expect(tried).toBe(0);';

/** The project is named like that, and has these files. */
const run = async (project: string) => {
  const config = `export default { root: ${JSON.stringify(folder)}, test: { projects: [{ test: { name: ${JSON.stringify(project)}, include: ['*.test.mjs'] } }] } };`;
  writeFileSync(join(folder, 'vitest.config.mjs'), config);
  const { code, err } = await runTool('test/run.ts', {}, '--config', join(folder, 'vitest.config.mjs'));
  return { code, said: err.split('\n').filter((line) => /second try|again alone|twice/.test(line)) };
};

describe('the second try', () => {
  it('is given to a file that failed beside others, and to no other', async () => {
    file('well', WELL);
    file('once', FAILS_ONCE);
    const { code, said } = await run('integration');
    expect({ code, said }).toEqual({
      code: 0,
      said: [
        expect.stringMatching(/Failed beside others, and run again alone: \S*once\.test\.mjs$/),
        expect.stringMatching(/Well at the second try only: \S*once\.test\.mjs$/),
      ],
    });
  });

  it('does not make well what fails again', async () => {
    file('well', WELL);
    file('wrong', FAILS);
    const { code, said } = await run('integration');
    expect({ code, said }).toEqual({ code: 1, said: [expect.anything(), expect.stringMatching(/Failed twice: /)] });
  });

  it('is not given to tests without servers', async () => {
    file('once', FAILS_ONCE);
    expect(await run('unit')).toEqual({ code: 1, said: [] });
  });

  it('is not given to many', async () => {
    for (let n = 0; n < 5; n += 1) file(`once-${n}`, FAILS_ONCE);
    expect(await run('integration')).toEqual({ code: 1, said: [] });
  });

  it('is not given where something failed that no test threw', async () => {
    file('once', `setTimeout(() => { throw new Error('late') }, 0); ${FAILS_ONCE}`);
    file('well', `return new Promise((resolve) => setTimeout(resolve, 500));`);
    expect(await run('integration')).toEqual({ code: 1, said: [] });
  });
});
