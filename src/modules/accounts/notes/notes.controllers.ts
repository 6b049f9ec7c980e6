import { Body, Controller, Delete, Get, Post, Query, Type } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { IdempotentRequest } from '../../../platform/database/database';
import { listOrCsv } from '../../../platform/http/csv-export';
import {
  CursorPageQuery,
  FormatParam,
  ListFormat,
  parseListRequest,
} from '../../../platform/http/list-query';
import { IdParam, Operation } from '../../../platform/http/operation';
import { StringField } from '../../../platform/http/request-fields';
import {
  cursorListResponse,
  CursorListResponse,
  exampleId,
  IdResponseField,
  ResponseField,
  Timestamp,
} from '../../../platform/http/response-fields';
import { Caller, IdempotencyKey, Principal } from '../../auth/http';
import { Note } from './note';
import { NotedPrefix, Notes } from './notes.service';

const EXAMPLE = 'Called on Monday; asked for a copy of the contract.';

class CreateNoteRequest {
  @StringField(1, 2000, EXAMPLE, { visible: true }) text: string;
}

class ListNotesQuery extends CursorPageQuery('note', 'notes') {
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

class NotesResponse extends CursorListResponse(NoteResponse) {}

class DeletedNoteResponse {
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

export const AccountNotesController = notesController('Account', 'acc');
export const UserNotesController = notesController('User', 'usr');

/** Creates the controller of the notes about accounts or about users. */
function notesController(noun: 'Account' | 'User', prefix: NotedPrefix): Type {
  const name = noun.toLowerCase();
  const ObjectId = (): ParameterDecorator => IdParam(`${name}_id`, prefix, `The id of the ${name}.`);

  @ApiTags('Notes')
  @Controller(`v1/${name}s/:${name}_id/notes`)
  class NotesController {
    constructor(private readonly notes: Notes) {}

    @Post()
    @Operation({
      id: `create${noun}Note`,
      summary: `Write a note about the ${name}`,
      errors: ['not_found'],
      idempotent: true,
      forSupport: true,
      description: `For admins and support people. The ${name} never sees it.`,
      response: { type: NoteResponse, description: 'The new note.' },
    })
    create(
      @Caller() caller: Principal,
      @ObjectId() id: string,
      @Body() { text }: CreateNoteRequest,
      @IdempotencyKey() request: IdempotentRequest,
    ) {
      return this.notes.create(caller, prefix, id, text, { ...request, render: noteResponse });
    }

    @Get()
    @Operation({
      id: `list${noun}Notes`,
      summary: `List the notes about the ${name}`,
      errors: ['not_found'],
      description: 'For admins and support people. Newest first.',
      response: { type: NotesResponse, description: 'One page.' },
      alsoAs: ['text/csv'],
    })
    list(@Caller() caller: Principal, @ObjectId() id: string, @Query() query: ListNotesQuery) {
      return listOrCsv(NotesResponse, query, async (part) => {
        const { page } = parseListRequest(part);
        return cursorListResponse(await this.notes.list(caller, prefix, id, page), noteResponse);
      });
    }

    @Delete(':note_id')
    @Operation({
      id: `delete${noun}Note`,
      summary: `Delete a note about the ${name}`,
      errors: ['not_found'],
      description: 'For admins.',
      response: { type: DeletedNoteResponse, description: 'The note is deleted.' },
    })
    async delete(
      @Caller() caller: Principal,
      @ObjectId() objectId: string,
      @IdParam('note_id', 'note', 'The id of the note.') id: string,
    ) {
      await this.notes.delete(caller, prefix, objectId, id);
      return { message: 'The note was deleted.', id };
    }
  }
  return NotesController;
}
