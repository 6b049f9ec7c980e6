import { Injectable } from '@nestjs/common';
import { DomainError } from '../../../kernel/domain-error';
import { IdPrefix, isId } from '../../../kernel/ids';
import { CursorPage, CursorRequest } from '../../../kernel/pages';
import { AuditTrail } from '../../../platform/audit/audit-trail';
import { Database, IdempotentOperation, StoredResponse } from '../../../platform/database/database';
import { assertAdmin, assertBackOffice, Credentials, isBackOffice, Principal } from '../../auth';
import { Users } from '../../users';
import { Accounts } from '../application/accounts.service';
import { Note } from './note';
import { NotesRepository } from './notes.repository';

/** What notes can be about, by the prefix of its id. */
export type NotedPrefix = 'acc' | 'usr';

/** The remarks of the back office about accounts and users, which these never see. */
@Injectable()
export class Notes {
  constructor(
    private readonly database: Database,
    private readonly repository: NotesRepository,
    private readonly accounts: Accounts,
    private readonly users: Users,
    private readonly credentials: Credentials,
    private readonly audit: AuditTrail,
  ) {}

  /** @throws DomainError `forbidden` for callers other than the back office; `not_found` */
  async create(
    caller: Principal,
    prefix: NotedPrefix,
    objectId: string,
    text: string,
    operation: IdempotentOperation<Note>,
  ): Promise<StoredResponse> {
    assertBackOffice(caller, 'Only the back office can write notes.');
    if (!isId(prefix, objectId)) throw notFound(prefix);
    return this.database.idempotent(operation, async (tx, now) => {
      // The lock excludes a deletion of the user, whose notes are deleted with it.
      if (!(await this.credentials.lockSubject(tx, objectId))) throw notFound(prefix);
      const note = Note.create({ objectId, authorId: caller.subjectId, text }, now);
      await this.repository.add(tx, note);
      this.audit.record(tx, caller, describeAction('note.create', objectId, note.id));
      return note;
    });
  }

  /**
   * Reads one page of the notes about an account or a user, newest first. It is recorded as a read of the account or the
   * user.
   * @throws DomainError `forbidden` for callers other than the back office; `not_found`
   */
  async list(
    caller: Principal,
    prefix: NotedPrefix,
    objectId: string,
    page: CursorRequest,
  ): Promise<CursorPage<Note>> {
    assertBackOffice(caller, 'Only the back office can read notes.');
    const { id } = await this.readNoted(caller, prefix, objectId);
    return this.repository.list(id, page);
  }

  /** Returns the note with this id, and records the read; null if there is none, and for callers outside the back office. */
  async search(caller: Principal, id: string): Promise<Note | null> {
    const note = isBackOffice(caller) && isId('note', id) ? await this.repository.findById(id) : null;
    if (note !== null)
      await this.readNoted(caller, isId('acc', note.objectId) ? 'acc' : 'usr', note.objectId);
    return note;
  }

  /** @throws DomainError `forbidden` for callers other than admins; `not_found` */
  async delete(caller: Principal, prefix: NotedPrefix, objectId: string, id: string): Promise<void> {
    assertAdmin(caller, 'Only admins can delete notes.');
    if (!isId(prefix, objectId) || !isId('note', id)) throw notFound('note');
    await this.database.transaction(async (tx) => {
      if (!(await this.repository.delete(tx, objectId, id))) throw notFound('note');
      this.audit.record(tx, caller, describeAction('note.delete', objectId, id));
    });
  }

  /** @throws DomainError `not_found` */
  private readNoted(
    caller: Principal,
    prefix: NotedPrefix,
    objectId: string,
  ): Promise<{ readonly id: string }> {
    return (prefix === 'acc' ? this.accounts : this.users).get(caller, objectId);
  }
}

const names: Readonly<Record<string, string>> = { acc: 'account', usr: 'user', note: 'note' };

function notFound(prefix: IdPrefix): DomainError {
  return new DomainError('not_found', `There is no such ${names[prefix]}.`);
}

/** The event for the audit log, without the text: that can be deleted, and the audit log cannot. */
function describeAction(action: string, objectId: string, id: string) {
  const accountId = isId('acc', objectId) ? objectId : null;
  return { action, objectId: id, accountId, details: { about: objectId } };
}
