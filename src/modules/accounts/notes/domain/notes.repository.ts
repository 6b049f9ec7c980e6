import type { CursorPage, CursorRequest } from '../../../../kernel/pages';
import type { Tx, WriteTx } from '../../../../platform/database/tx';
import type { Note } from './note';

export abstract class NotesRepository {
  abstract find(objectId: string, id: string): Promise<Note | null>;
  /** Finds a note, whatever it is about. */
  abstract findById(id: string): Promise<Note | null>;
  /** Reads one page, newest first. */
  abstract list(objectId: string, page: CursorRequest): Promise<CursorPage<Note>>;
  abstract add(tx: Tx, note: Note): Promise<void>;
  /** @returns whether there was such a note */
  abstract delete(tx: Tx, objectId: string, id: string): Promise<boolean>;
  abstract deleteAllOf(tx: WriteTx, objectId: string): void;
}
