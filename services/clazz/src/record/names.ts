export { names } from '@teaching/kit';
