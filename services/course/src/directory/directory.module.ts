import { courseMemberCalls } from '@teaching/contracts';
import { routes } from '@teaching/kit';
import { eraseMember } from './erase-member.ts';
import { directoryFollower } from './member.ts';

export const directoryModule = {
  routes: routes(courseMemberCalls, { erase: eraseMember }),
  follower: directoryFollower,
};
