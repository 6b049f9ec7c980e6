import type { DeveloperCommand } from '../command';
import { completion } from './completion';
import { get } from './get';
import { createKey } from './keys-create';
import { listen } from './listen';
import { login, logout } from './login';
import { tailEvents, tailRequests } from './tail';
import { trigger } from './trigger';

/** The commands of developers, who call the API with an API key. They never touch the database or load the service. */
export const developerCommands: readonly DeveloperCommand[] = [
  login,
  logout,
  listen,
  trigger,
  tailEvents,
  tailRequests,
  get,
  createKey,
  completion,
];
