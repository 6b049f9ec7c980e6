import { CursorPageQuery, FormatParam, ListFormat } from '../../../platform/http/list-query';
import { StringField } from '../../../platform/http/request-fields';
import {
  CursorListResponse,
  exampleId,
  IdResponseField,
  ResponseField,
  Timestamp,
} from '../../../platform/http/response-fields';
import { Note } from './note';

const EXAMPLE = 'Called on Monday; asked for a copy of the contract.';

export class CreateNoteRequest {
  @StringField(1, 2000, EXAMPLE, { visible: true }) text: string;
}

export class ListNotesQuery extends CursorPageQuery('note', 'notes') {
  @FormatParam() format?: ListFormat;
}

export class NoteResponse {
  @IdResponseField('note') id: string;

  @ResponseField({
    example: exampleId('acc'),
    description: 'The account or the user that the note is about.',
  })
  object_id: string;

  @ResponseField({
    example: exampleId('usr'),
    description: 'The user who wrote it, who may have been deleted since.',
  })
  author_id: string;

  @ResponseField({ example: EXAMPLE }) text: string;
  @Timestamp() created_at: string;
}

export class NotesResponse extends CursorListResponse(NoteResponse) {}

export class DeletedNoteResponse {
  @ResponseField({ example: 'The note was deleted.' }) message: string;
  @IdResponseField('note') id: string;
}

export function noteResponse({ id, objectId, authorId, text, createdAt }: Note): NoteResponse {
  return {
    id,
    object_id: objectId,
    author_id: authorId,
    text,
    created_at: createdAt.toISOString(),
  };
}
