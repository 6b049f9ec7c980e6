import { ApiError } from 'countinghouse-client';
import { session } from '../session/session';

/** Saves a list as the CSV that the API makes of it. @throws ApiError */
export function downloadList(path: string, query: object, file: string): Promise<void> {
  return download(`${path}?${new URLSearchParams({ ...query, format: 'csv' }).toString()}`, file);
}

/** Saves what an operation of the API returns as a file. @throws ApiError */
export async function download(path: string, name: string): Promise<void> {
  const response = await session.fetch(new Request(new URL(path, location.origin)));
  if (response.ok) {
    saveFile(name, await response.blob());
    return;
  }
  const { error = 'unknown', message = '' } = (await response.json().catch(() => ({}))) as {
    error?: string;
    message?: string;
  };
  throw new ApiError(error, message, response.status, response.headers.get('x-request-id'));
}

/** Gives the browser a file to save. */
export function saveFile(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
