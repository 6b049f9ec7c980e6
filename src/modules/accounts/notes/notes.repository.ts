import { Injectable } from '@nestjs/common';
import { EntitySchema, LessThan, MoreThan, Repository } from 'typeorm';
import { CursorPage, CursorRequest, cutPage } from '../../../kernel/pages';
import { rowsFor } from '../../../platform/database/lists/cursor-list';
import { Database, Tx, WriteTx } from '../../../platform/database/database';
import { enqueueWrite } from '../../../platform/database/repositories';
import { Note } from './note';

/** The primary key serves the list of an account or a user, and the index the search. */
export const noteSchema = new EntitySchema<Note>({
  name: 'Note',
  target: Note,
  tableName: 'notes',
  columns: {
    objectId: { name: 'object_id', type: 'text', primary: true },
    id: { type: 'text', primary: true },
    authorId: { name: 'author_id', type: 'text' },
    text: { type: 'text' },
    createdAt: { name: 'created_at', type: 'timestamptz', precision: 3 },
  },
  indices: [{ name: 'notes_id', columns: ['id'] }],
});

@Injectable()
export class NotesRepository {
  private readonly notes: Repository<Note>;

  constructor(database: Database) {
    this.notes = database.repository(noteSchema);
  }

  /** Finds a note, whatever it is about. */
  findById(id: string): Promise<Note | null> {
    return this.notes.findOneBy({ id });
  }

  /** Reads one page, newest first. */
  async list(objectId: string, page: CursorRequest): Promise<CursorPage<Note>> {
    const { startingAfter, endingBefore, limit } = page;
    const found = await this.notes.find({
      where: {
        objectId,
        ...(startingAfter !== undefined && { id: LessThan(startingAfter) }),
        ...(endingBefore !== undefined && { id: MoreThan(endingBefore) }),
      },
      order: { id: endingBefore === undefined ? 'DESC' : 'ASC' },
      take: rowsFor(limit),
    });
    return cutPage(found, page);
  }

  async add(tx: Tx, note: Note): Promise<void> {
    await tx.repository(noteSchema).insert(note);
  }

  /** @returns whether there was such a note */
  async delete(tx: Tx, objectId: string, id: string): Promise<boolean> {
    return (await tx.repository(noteSchema).delete({ objectId, id })).affected === 1;
  }

  deleteAllOf(tx: WriteTx, objectId: string): void {
    enqueueWrite(tx, this.notes.createQueryBuilder().delete().where({ objectId }));
  }
}
