/** The drafts of a person, or of one form of theirs, by the names of their fields. They end with the tab. */
export const draftsOf = (userId: string, form?: string): string =>
  ['countinghouse', 'draft', userId, ...(form === undefined ? [] : [form]), ''].join('/');

/** @param prefix of `draftsOf` */
export function discardDrafts(prefix: string): void {
  for (const key of Object.keys(sessionStorage)) if (key.startsWith(prefix)) sessionStorage.removeItem(key);
}
