import type { AnyCall, Role } from '@teaching/contracts';
import { aboutChild, type PreparedRequest, requestTo } from '../contract-requests.ts';
import { ofClazz } from './clazz.ts';
import { ofCourses } from './course.ts';
import { ofPackages } from './package.ts';
import { PERSON, type Ready, type Scene } from './scene.ts';

const READY: Readonly<Record<string, Ready>> = { ...ofPackages, ...ofCourses, ...ofClazz };

/**
 * A request that must succeed when the person of this role in the scene sends it. The records that it names exist in
 * the required state. Each request gets another record when the call works only once.
 */
export const readyFor = async (scene: Scene, call: AnyCall, role: Role): Promise<PreparedRequest> => {
  const request = { ...requestTo(call, scene.our), ...(await READY[call.id]?.(scene, scene.as(role))) };
  return role === 'GUARDIAN' && call.child === 'named' ? aboutChild(call, request, PERSON.STUDENT) : request;
};
