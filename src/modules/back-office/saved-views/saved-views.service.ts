import { Injectable } from '@nestjs/common';
import { DomainError } from '../../../kernel/domain-error';
import { isId } from '../../../kernel/ids';
import { CursorPage, CursorRequest } from '../../../kernel/pages';
import { AuditTrail } from '../../../platform/audit/audit-trail';
import { Database, IdempotentOperation, StoredResponse } from '../../../platform/database/database';
import { assertSeesAllAccounts, Credentials, isAdmin, Principal } from '../../auth';
import { SavedView, SavedViewPage } from './saved-view';
import { SavedViewsRepository } from './saved-views.repository';

/** How many views a user has at most, on all pages. */
export const MAX_VIEWS = 100;

const FOR_OPERATORS = 'Only the back office and platform systems have saved views.';

/** The saved filters of those who see all accounts. */
@Injectable()
export class SavedViews {
  constructor(
    private readonly database: Database,
    private readonly repository: SavedViewsRepository,
    private readonly credentials: Credentials,
    private readonly audit: AuditTrail,
  ) {}

  /** @throws DomainError `forbidden`; `conflict` for a name that the user has on this page, and for too many views */
  async create(
    caller: Principal,
    view: Pick<SavedView, 'page' | 'name' | 'query' | 'isShared'>,
    operation: IdempotentOperation<SavedView>,
  ): Promise<StoredResponse> {
    assertSeesAllAccounts(caller, FOR_OPERATORS);
    const { subjectId: ownerId } = caller;
    return this.database.idempotent(operation, async (tx, now) => {
      // One at a time, so that neither the limit nor a name is exceeded, and none outlives the user.
      await this.credentials.lockSubject(tx, ownerId);
      assertRoomFor(view, await this.repository.ofOwner(tx, ownerId));
      const created = SavedView.create({ ...view, ownerId }, now);
      await this.repository.add(tx, created);
      this.audit.record(tx, caller, describeAction('saved_view.create', created));
      return created;
    });
  }

  /**
   * Reads one page of the caller's views and those that others share, newest first.
   * @param page the list that is filtered; undefined for all
   * @throws DomainError `forbidden`
   */
  async list(
    caller: Principal,
    page: SavedViewPage | undefined,
    cursor: CursorRequest,
  ): Promise<CursorPage<SavedView>> {
    assertSeesAllAccounts(caller, FOR_OPERATORS);
    return this.repository.list(caller.subjectId, page, cursor);
  }

  /**
   * Admins also delete what others share.
   * @throws DomainError `forbidden` for callers who see not all accounts, and for a view that somebody else shares;
   * `not_found`, also for one that somebody else does not share
   */
  async delete(caller: Principal, id: string): Promise<void> {
    assertSeesAllAccounts(caller, FOR_OPERATORS);
    await this.database.transaction(async (tx) => {
      const view = isId('view', id) ? await this.repository.find(tx, id) : null;
      const isOwn = view?.ownerId === caller.subjectId;
      if (view === null || !(isOwn || view.isShared)) throw noSuchView();
      if (!isOwn && !isAdmin(caller))
        throw new DomainError('forbidden', 'Only its owner and admins can delete a shared view.');
      if (!(await this.repository.delete(tx, view))) throw noSuchView();
      this.audit.record(tx, caller, describeAction('saved_view.delete', view));
    });
  }
}

/** @throws DomainError `conflict` */
function assertRoomFor({ page, name }: Pick<SavedView, 'page' | 'name'>, views: readonly SavedView[]): void {
  if (views.some((view) => view.page === page && view.name === name))
    throw new DomainError('conflict', 'You have a view with this name. Choose another, or delete that one.');
  if (views.length >= MAX_VIEWS)
    throw new DomainError('conflict', `You have ${MAX_VIEWS} saved views. Delete one first.`);
}

function noSuchView(): DomainError {
  return new DomainError('not_found', 'There is no such saved view.');
}

/** The event for the audit log, without the name and the filters, which may be those of a person. */
function describeAction(action: string, { id, page, isShared }: SavedView) {
  return { action, objectId: id, details: { page, shared: isShared } };
}
