import type { AnyCall, Role } from '@teaching/contracts';
import { aboutChild, type PreparedRequest, requestTo } from '../contract-requests.ts';
import { ofClazz } from './clazz.ts';
import { ofCourses } from './course.ts';
import { ofPackages } from './package.ts';
import { PERSON, type Ready, type Scene } from './scene.ts';

const READY: Readonly<Record<string, Ready>> = { ...ofPackages, ...ofCourses, ...ofClazz };

/**
 * A request to a call that must succeed when this role's person of the scene sends it: what it names is there, in the
 * state that the call needs, and each time another one where once is enough.
 */
export const readyFor = async (scene: Scene, call: AnyCall, role: Role): Promise<PreparedRequest> => {
  const request = { ...requestTo(call, scene.our), ...(await READY[call.id]?.(scene, scene.as(role))) };
  return role === 'GUARDIAN' && call.child === 'named' ? aboutChild(call, request, PERSON.STUDENT) : request;
};
