import { roomCalls } from '@teaching/contracts';
import { type Module, routes } from '@teaching/kit';
import { createRoom, deleteRoom, getRoom, listFreeRooms, listRooms, updateRoom } from './rooms.ts';

/** Lists and changes the rooms of an organization. */
export const roomModule: Module = {
  routes: [...routes(roomCalls, { createRoom, listRooms, listFreeRooms, getRoom, updateRoom, deleteRoom })],
};
