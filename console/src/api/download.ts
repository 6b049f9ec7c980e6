import { ApiError } from 'countinghouse-client';
import { session } from '../session/session';
import { saveFile } from './csv';

/** Saves what an operation of the API returns as a file. @throws ApiError */
export async function download(path: string, name: string): Promise<void> {
  const response = await session.fetch(new Request(new URL(path, location.origin)));
  if (response.ok) {
    saveFile(name, response.headers.get('content-type') ?? '', await response.blob());
    return;
  }
  const { error = 'unknown', message = '' } = (await response.json().catch(() => ({}))) as {
    error?: string;
    message?: string;
  };
  throw new ApiError(error, message, response.status, response.headers.get('x-request-id'));
}
