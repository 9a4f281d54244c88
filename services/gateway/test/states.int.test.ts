import { ALL_ROLES, allCalls, type AnyCall } from '@teaching/contracts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Fixture, startFixture } from '../../../tools/proofs/test/fixture.ts';
import { type Scene, createScene } from './scene/scene.ts';
import { type State, STATES } from './scene/record-states.ts';
import { requestTo } from './contract-requests.ts';

let fixture: Fixture;
let scene: Scene;
beforeAll(async () => {
  fixture = await startFixture();
  scene = await createScene(fixture);
});
afterAll(() => fixture?.stop());

/** The calls that a state concerns. */
const concerned = ({ code, of = /./ }: State): AnyCall[] =>
  allCalls.filter((call) => call.http !== null && call.errors.includes(code) && of.test(call.id));

it.each(STATES)('every call with this code in its contract refuses $what with $code', async (state) => {
  const our = { ...scene.our, ...(await state.made(scene)) };
  const came: string[] = [];
  for (const call of concerned(state)) {
    const role = ALL_ROLES.find((one) => call.who.includes(one)) ?? 'SUPERVISOR';
    const { code } = await scene.as(role).outcome(call, requestTo(call, our));
    if (code !== state.code) came.push(`${call.id}: ${code}`);
  }
  expect(came).toEqual([]);
});

/** Other meanings of these codes, where the obstacle is more than the state of one record. */
const HAVE_OWN_TESTS = [
  'clazz.clazz.remove in_use',
  'clazz.leave.make_up invalid_transition',
  'clazz.leave.undo_make_up invalid_transition',
  'clazz.lesson.check invalid_transition',
  'course.jihua.update in_use',
  'course.lianxi.update in_use',
];
it('every call with such a code is tested above', () => {
  const tried = new Set(STATES.flatMap((state) => concerned(state).map(({ id }) => `${id} ${state.code}`)));
  const codes = new Set(STATES.map(({ code }) => code));
  const said = allCalls.flatMap(({ id, errors }) =>
    errors.flatMap((code) => (codes.has(code) ? [`${id} ${code}`] : [])),
  );
  expect(said.filter((one) => !tried.has(one)).toSorted()).toEqual(HAVE_OWN_TESTS);
  expect(STATES.filter((state) => concerned(state).length === 0)).toEqual([]);
});
