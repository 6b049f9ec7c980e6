import { Injectable } from '@nestjs/common';
import { EntitySchema, FindOptionsWhere, LessThan, MoreThan, Repository } from 'typeorm';
import { CursorPage, CursorRequest, cutPage } from '../../../kernel/pages';
import { Database, Tx, WriteTx } from '../../../platform/database/database';
import { rowsFor } from '../../../platform/database/lists/cursor-list';
import { enqueueWrite } from '../../../platform/database/repositories';
import { SavedView, SavedViewPage } from './saved-view';

/** The primary key serves the views of a user, and the index those that are shared. */
export const savedViewSchema = new EntitySchema<SavedView>({
  name: 'SavedView',
  target: SavedView,
  tableName: 'saved_views',
  columns: {
    ownerId: { name: 'owner_id', type: 'text', primary: true },
    id: { type: 'text', primary: true },
    page: { type: 'text' },
    name: { type: 'text' },
    query: { type: 'jsonb' },
    isShared: { name: 'is_shared', type: 'boolean' },
    createdAt: { name: 'created_at', type: 'timestamptz', precision: 3 },
  },
  uniques: [{ name: 'saved_views_name', columns: ['ownerId', 'page', 'name'] }],
  indices: [{ name: 'saved_views_shared', columns: ['id'], where: 'is_shared' }],
});

@Injectable()
export class SavedViewsRepository {
  private readonly views: Repository<SavedView>;

  constructor(database: Database) {
    this.views = database.repository(savedViewSchema);
  }

  /** Reads one page of the views that a user has or others share, newest first. */
  async list(
    userId: string,
    page: SavedViewPage | undefined,
    cursor: CursorRequest,
  ): Promise<CursorPage<SavedView>> {
    const { startingAfter, endingBefore, limit } = cursor;
    const common: FindOptionsWhere<SavedView> = {
      ...(page !== undefined && { page }),
      ...(startingAfter !== undefined && { id: LessThan(startingAfter) }),
      ...(endingBefore !== undefined && { id: MoreThan(endingBefore) }),
    };
    const found = await this.views.find({
      where: [
        { ...common, ownerId: userId },
        { ...common, isShared: true },
      ],
      order: { id: endingBefore === undefined ? 'DESC' : 'ASC' },
      take: rowsFor(limit),
    });
    return cutPage(found, cursor);
  }

  ofOwner(tx: Tx, ownerId: string): Promise<SavedView[]> {
    return tx.repository(savedViewSchema).findBy({ ownerId });
  }

  find(tx: Tx, id: string): Promise<SavedView | null> {
    return tx.repository(savedViewSchema).findOneBy({ id });
  }

  async add(tx: Tx, view: SavedView): Promise<void> {
    await tx.repository(savedViewSchema).insert(view);
  }

  /** @returns whether it was there */
  async delete(tx: Tx, { ownerId, id }: SavedView): Promise<boolean> {
    return (await tx.repository(savedViewSchema).delete({ ownerId, id })).affected === 1;
  }

  /** Deletes the views that only this user sees. */
  deleteOwnOf(tx: WriteTx, ownerId: string): void {
    enqueueWrite(tx, this.views.createQueryBuilder().delete().where({ ownerId, isShared: false }));
  }
}
