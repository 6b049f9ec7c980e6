import { Injectable } from '@nestjs/common';
import { LessThan, MoreThan, Repository } from 'typeorm';
import { CursorPage, CursorRequest, cutPage } from '../../../../kernel/pages';
import { rowsFor } from '../../../../platform/database/cursor-list';
import { Database } from '../../../../platform/database/database';
import { enqueueWrite } from '../../../../platform/database/repositories';
import { Tx, WriteTx } from '../../../../platform/database/tx';
import { Note } from '../domain/note';
import { NotesRepository } from '../domain/notes.repository';
import { noteSchema } from './note.schema';

@Injectable()
export class TypeormNotesRepository extends NotesRepository {
  private readonly notes: Repository<Note>;

  constructor(database: Database) {
    super();
    this.notes = database.repository(noteSchema);
  }

  find(objectId: string, id: string): Promise<Note | null> {
    return this.notes.findOneBy({ objectId, id });
  }

  findById(id: string): Promise<Note | null> {
    return this.notes.findOneBy({ id });
  }

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

  async delete(tx: Tx, objectId: string, id: string): Promise<boolean> {
    return (await tx.repository(noteSchema).delete({ objectId, id })).affected === 1;
  }

  deleteAllOf(tx: WriteTx, objectId: string): void {
    enqueueWrite(tx, this.notes.createQueryBuilder().delete().where({ objectId }));
  }
}
