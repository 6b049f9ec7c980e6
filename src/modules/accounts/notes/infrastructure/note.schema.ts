import { EntitySchema } from 'typeorm';
import { Note } from '../domain/note';

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
