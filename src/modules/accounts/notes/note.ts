import type { FieldsOf } from '../../../kernel/entity';
import { newId } from '../../../kernel/ids';

/** A remark of the back office about an account or a user. It never changes. It has no events, which would outlive it. */
export class Note {
  /** The account or the user. */
  readonly objectId: string;
  readonly id: string;
  /** The user who wrote it. */
  readonly authorId: string;
  readonly text: string;
  readonly createdAt: Date;

  private constructor(fields: FieldsOf<Note>) {
    Object.assign(this, fields);
  }

  static create(fields: Pick<Note, 'objectId' | 'authorId' | 'text'>, now: Date): Note {
    return new Note({ ...fields, id: newId('note', now), createdAt: now });
  }
}
