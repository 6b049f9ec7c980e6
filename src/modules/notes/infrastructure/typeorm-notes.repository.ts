import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { CursorPage, CursorRequest, cutPage } from '../../../kernel/pages';
import { Database } from '../../../platform/database/database';
import { Table } from '../../../platform/database/table';
import { Tx, WriteTx } from '../../../platform/database/tx';
import { Note } from '../domain/note';
import { NotesRepository } from '../domain/notes.repository';
import { noteSchema } from './note.schema';

@Injectable()
export class TypeormNotesRepository extends NotesRepository {
  private readonly table: Table<Note>;

  constructor(
    private readonly database: Database,
    dataSource: DataSource,
  ) {
    super();
    this.table = new Table(dataSource, noteSchema);
  }

  async find(objectId: string, id: string): Promise<Note | null> {
    const sql = `SELECT ${this.table.columns} FROM notes WHERE object_id = $1 AND id = $2`;
    const [row] = await this.database.query(sql, [objectId, id]);
    return row ? this.table.entity(row) : null;
  }

  async findById(id: string): Promise<Note | null> {
    const [row] = await this.database.query(`SELECT ${this.table.columns} FROM notes WHERE id = $1`, [id]);
    return row ? this.table.entity(row) : null;
  }

  async list(objectId: string, page: CursorRequest): Promise<CursorPage<Note>> {
    const { startingAfter, endingBefore, limit } = page;
    const [order, beyond] = endingBefore === undefined ? ['DESC', '<'] : ['ASC', '>'];
    const cursor = startingAfter ?? endingBefore;
    const params = [objectId, limit + 1, ...(cursor === undefined ? [] : [cursor])];
    const sql = `SELECT ${this.table.columns} FROM notes
                 WHERE object_id = $1 ${cursor === undefined ? '' : `AND id ${beyond} $3`} ORDER BY id ${order} LIMIT $2`;
    const rows = await this.database.query(sql, params);
    return cutPage(
      rows.map((row) => this.table.entity(row)),
      page,
    );
  }

  add(tx: Tx, note: Note): void {
    tx.enqueueInsert(this.table.insert(note));
  }

  async delete(tx: Tx, objectId: string, id: string): Promise<boolean> {
    const sql = 'DELETE FROM notes WHERE object_id = $1 AND id = $2 RETURNING id';
    return (await tx.query(sql, [objectId, id])).length > 0;
  }

  deleteAllOf(tx: WriteTx, objectId: string): void {
    tx.enqueue('DELETE FROM notes WHERE object_id = $1', [objectId]);
  }
}
