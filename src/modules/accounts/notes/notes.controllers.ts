import { Body, Controller, Delete, Get, Post, Query, StreamableFile, Type } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { IdempotentRequest, StoredResponse } from '../../../platform/database/database';
import { listOrCsv } from '../../../platform/http/csv-export';
import { parseListRequest } from '../../../platform/http/list-query';
import { IdParam, Operation } from '../../../platform/http/operation';
import { cursorListResponse } from '../../../platform/http/response-fields';
import { Principal } from '../../auth';
import { Caller, IdempotencyKey } from '../../auth/http';
import { NotedPrefix, Notes } from './notes.service';
import {
  CreateNoteRequest,
  DeletedNoteResponse,
  ListNotesQuery,
  NoteResponse,
  noteResponse,
  NotesResponse,
} from './notes.dto';

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
    ): Promise<StoredResponse> {
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
    list(
      @Caller() caller: Principal,
      @ObjectId() id: string,
      @Query() query: ListNotesQuery,
    ): Promise<NotesResponse | StreamableFile> {
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
    ): Promise<DeletedNoteResponse> {
      await this.notes.delete(caller, prefix, objectId, id);
      return { message: 'The note was deleted.', id };
    }
  }
  return NotesController;
}
