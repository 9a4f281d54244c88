import type { Stage } from './stage.ts';
import { packages } from './chapters/packages.ts';
import { school } from './chapters/school.ts';

/** The whole story, in order; throws at the first answer that is not as expected. */
export const play = async (stage: Stage): Promise<void> => {
  const courses = await school(stage);
  await packages(stage, courses);
};
