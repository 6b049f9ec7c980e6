import { place } from '../place';

/** Whether the service responds at all. If it does, code that does not load again needs the console to be reloaded. */
export async function serviceResponds(): Promise<boolean> {
  try {
    return (await fetch(`/${place}/`, { cache: 'no-store' })).ok;
  } catch {
    return false;
  }
}
